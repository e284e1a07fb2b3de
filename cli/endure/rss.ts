/** How much memory a process holds. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Resident memory in whole megabytes (2^20 bytes), from /proc or else `ps`; 0 where neither tells. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).then(({ stdout }) => stdout.trim(), () => '0'));
  return Math.round(Number(kb) / 1024);
}
