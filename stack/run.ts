/** Runs a command to its end and keeps what it said. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export type RunOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of standard error. */
  readonly onLine?: (line: string) => void;
};

/** `code` is the exit code, or -1 where the command could not be run, took too long or ended by a signal. */
export type RunResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs `command`. A failure is a value, never a throw, apart from an abort. The command and its children end together. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const result = await new Promise<RunResult>((resolve) => {
    const { env, cwd, uid, gid } = options;
    const child = spawn(command, args, { ...(env && { env }), ...(cwd !== undefined && { cwd }), ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }), detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let rest = '';
    const kill = (): void => { if (child.pid !== undefined) killGroup(child.pid); };
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(kill, options.timeoutMs);
    options.signal?.addEventListener('abort', kill, { once: true });
    const end = (code: number, said: string): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', kill);
      resolve({ code, stdout, stderr: stderr + said });
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout = (stdout + text).slice(-200_000); });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-200_000);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) options.onLine?.(line);
    });
    child.once('error', (error) => { end(-1, error.message); });
    child.once('close', (code) => { end(code ?? -1, ''); });
  });
  options.signal?.throwIfAborted();
  return result;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The last lines of what a command said, on one line, for an error's sentence. */
export function tail(text: string, lines = 3): string {
  return text.trim().split('\n').slice(-lines).map((line) => line.trim()).join(' | ').slice(-600);
}

/** The full path of a command on the PATH, or undefined. */
export async function which(command: string): Promise<string | undefined> {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
    if (dir !== '' && (await isExecutable(join(dir, command)))) return join(dir, command);
  }
  return undefined;
}

/** True where the file is there and may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(() => true, () => false);
}
