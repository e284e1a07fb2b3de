/** The command line run in this process: a second of Node's own start is saved, and its queries can be counted. */
import { vi } from 'vitest';
import { main } from '../../cli/main.ts';

/** How it ended and what it said: `said` on standard error, `printed` on standard output. */
export type Ran = { readonly code: unknown; readonly said: string; readonly printed: string };

/** Runs a command. One at a time: the streams and the environment are the process's. */
export function holdpoint(...args: string[]): Promise<Ran> {
  return holdpointWith({}, ...args);
}

/** The same with these variables set meanwhile. */
export async function holdpointWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  const [said, shown]: [string[], string[]] = [[], []];
  const { exitCode } = process;
  const spies = [vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0), vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0)];
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    process.exitCode = 0;
    await main(['node', 'holdpoint', ...args]);
    return { code: process.exitCode, said: said.join(''), printed: shown.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = exitCode;
  }
}
