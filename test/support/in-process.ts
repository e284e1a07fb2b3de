/** The command line run in this process, for tests of what it says. */
import { vi } from 'vitest';
import { main } from '../../cli/main.ts';

/** Runs a command. @returns its exit code, and what it wrote to standard error and to standard output */
export async function holdpoint(...args: string[]): Promise<{ code: unknown; said: string; printed: string }> {
  const [said, shown]: [string[], string[]] = [[], []];
  const { exitCode } = process;
  const spies = [vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0), vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0)];
  try {
    process.exitCode = 0;
    await main(['node', 'holdpoint', ...args]);
    return { code: process.exitCode, said: said.join(''), printed: shown.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = exitCode;
  }
}
