/** What every command says and how it ends: one JSON document on standard output, people's words on standard error, exit codes 0, 1 and 2. */
import type { Command } from 'commander';
import { visibleText } from '../contract/visible-text.ts';

/** A failure that a person can mend: its message is the one sentence they see. Exit code 1, or 2 where they used the command wrongly. */
export class UserError extends Error {
  override name = 'UserError';
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** One line for people, on standard error, so that standard output stays machine-readable. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints the result: `document` as JSON where `--json` was given, else the text made for people. */
export function printResult(options: { json?: boolean | undefined }, document: unknown, text: () => string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${text()}\n`);
}

/** Reads a whole number from a flag. @throws UserError (exit 2) where it is none or out of range. */
export function wholeNumber(flag: string, range: { min: number; max?: number }): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const max = range.max ?? Number.MAX_SAFE_INTEGER;
    if (!/^\d+$/.test(text) || value < range.min || value > max)
      throw new UserError(`${flag} takes a whole number from ${String(range.min)} to ${String(max)}, not "${printable(text)}".`, 2);
    return value;
  };
}

/** Untrusted text made safe for a terminal: control characters become visible, long text is cut. */
export function printable(text: string, most = 200): string {
  const visible = visibleText(text);
  return visible.length > most ? `${visible.slice(0, most)}…` : visible;
}

/** A command's registration: one file a command, collected in main.ts. */
export type CommandModule = (program: Command) => void;
