/** The real command in a process of its own, to be killed or to meet another one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How it ended and what it said. `signal`: by which it was killed, or null. */
export type CommandEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly stdout: string; readonly stderr: string };
export type CommandProcess = { readonly child: ChildProcess; readonly end: Promise<CommandEnd> };

const program = fileURLToPath(new URL('../../bin/holdpoint.mjs', import.meta.url));

/** Starts `holdpoint` with these arguments; `env` comes on top of this process's own. */
export function startCommand(args: readonly string[], env: Readonly<Record<string, string>>): CommandProcess {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
  const end = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => { resolve({ code, signal, stdout, stderr }); });
  });
  return { child, end };
}
