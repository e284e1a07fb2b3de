/** Tells one process from a later one with the same number. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/**
 * A mark (without blanks) of the process that has this number now: its start time, and on Linux the boot it belongs to.
 * Undefined where there is none or it has ended and was not yet waited for.
 */
export async function identityOf(pid: number): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (process.platform !== 'linux') return identityByPs(pid);
  try {
    const [stat, boot] = await Promise.all([readFile(`/proc/${String(pid)}/stat`, 'utf8'), readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')]);
    const startTicks = startTicksOf(stat);
    return startTicks === undefined ? undefined : `${startTicks}@${boot.trim().slice(0, 8)}`;
  } catch {
    return undefined;
  }
}

/** The command line of a process, its words parted by blanks; empty where there is none. */
export async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${String(pid)}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '), () => '');
  return new Promise((resolve) => {
    execFile('ps', ['-ww', '-o', 'args=', '-p', String(pid)], (error, stdout) => { resolve(error === null ? stdout : ''); });
  });
}

/** Field 22 of /proc/PID/stat, in clock ticks since boot; undefined for a zombie. The name in field 2 may hold blanks and brackets. */
export function startTicksOf(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function identityByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], (error, stdout) => {
      const [state, ...started] = stdout.trim().split(/\s+/);
      resolve(error !== null || state === undefined || state.startsWith('Z') ? undefined : started.join('_'));
    });
  });
}
