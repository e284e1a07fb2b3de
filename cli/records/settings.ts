/** The settings that a folder was begun with, so that it is gone on with only as what it was begun as. */
import { readFile } from 'node:fs/promises';
import { UserError } from '../output.ts';

/** The settings that a run was begun with, or undefined. @throws UserError where the file cannot be read as such */
export async function begunSettings(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // said below
  }
  throw new UserError(`${path} is not the JSON that this command writes: remove the folder, or name another by --results.`);
}

/** Compares the fields that are given. `what`: whose settings they are, such as `evaluation in results/mine`. @throws UserError naming the first one that differs, with both values */
export function refuseOtherSettings(what: string, begun: unknown, now: Readonly<Record<string, unknown>>): void {
  const before = typeof begun === 'object' && begun !== null ? (begun as Record<string, unknown>) : {};
  const differing = Object.entries(now).find(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value));
  if (differing === undefined) return;
  const [field, value] = differing;
  throw new UserError(`The ${what} was begun with other settings: ${field} was ${JSON.stringify(before[field] ?? null)} and is ${JSON.stringify(value)} now. Give it the same again, or name another folder by --results.`);
}
