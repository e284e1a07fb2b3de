/** A command in this process: a second of Node's own start is saved, and its queries can be counted. */
import { vi } from 'vitest';
import { main } from '../../cli/main.ts';

/** How it ended and what it said. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** Runs `holdpoint` with these arguments; `env` is set meanwhile. One at a time. */
export async function runHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const said = { out: '', err: '' };
  const { exitCode } = process;
  process.exitCode = 0;
  const taking = (to: 'out' | 'err') => (text: string | Uint8Array): boolean => { said[to] += String(text); return true; };
  const spies = [vi.spyOn(process.stdout, 'write').mockImplementation(taking('out')), vi.spyOn(process.stderr, 'write').mockImplementation(taking('err'))];
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    await main(['node', 'holdpoint', ...args]);
    return { code: Number(process.exitCode), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = exitCode;
  }
}
