/** Where a command finds the token of whoever runs it: never among its arguments, which everybody on the machine can read. */
import { readFile } from 'node:fs/promises';
import { UserError } from '../output.ts';

/** The token of the file, else of HOLDPOINT_TOKEN; undefined where there is neither. @throws UserError where the file cannot be read or is empty */
export async function findToken(file: string | undefined, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  if (file === undefined) {
    const given = env['HOLDPOINT_TOKEN']?.trim() ?? '';
    return given === '' ? undefined : given;
  }
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UserError(`The token's file cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'}).`);
  });
  if (text.trim() === '') throw new UserError("The token's file is empty.");
  return text.trim();
}
