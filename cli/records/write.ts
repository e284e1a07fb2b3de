/** Writes a run's folder: each file whole under another name first, the manifest last, so that a folder with a manifest is complete. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { markdownTable } from '../../analysis/table.ts';
import type { Summary } from '../../analysis/summary.ts';
import type { Decision } from '../../analysis/decision.ts';
import { UserError } from '../output.ts';
import type { EpisodeTimes } from './load.ts';
import type { Manifest } from './manifest.ts';
import { pretty, writePart, writeWhole } from './write-whole.ts';

/** Everything that a run's folder holds. */
export type RunRecords = { readonly manifest: Manifest; readonly decisions: readonly Decision[]; readonly times: readonly EpisodeTimes[]; readonly summary: Summary };

const manifestName = 'manifest.json';

/** Marks the run as begun, before its first episode. @throws UserError where the folder cannot be written */
export async function beginRecords(folder: string, manifest: Manifest): Promise<void> {
  await makeFolder(folder);
  await writePart(join(folder, manifestName), pretty(manifest)).catch((error: unknown) => { throw unwritable(folder, error); });
}

/**
 * Makes a folder and those above it, one by one: Node's recursive mkdir never ends where a file system takes no new entries and says so with ENOENT.
 * @throws UserError where it cannot be made
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    if (await exists(folder)) return;
    if (dirname(resolve(folder)) !== resolve(folder)) await makeFolder(dirname(resolve(folder)));
    await mkdir(folder);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if ((error as { code?: string }).code !== 'EEXIST') throw unwritable(folder, error);
  }
}

/** What is said of a folder that takes no file. */
export function unwritable(folder: string, error: unknown): UserError {
  return new UserError(`The folder ${folder} cannot be written (${error instanceof Error ? error.message : String(error)}): name another by --results.`);
}

/** Whether a run was begun in this folder and its records were never finished. */
export async function isUnfinished(folder: string): Promise<boolean> {
  return (await exists(join(folder, `${manifestName}.part`))) && !(await isFinished(folder));
}

/** Whether the folder holds a run's finished records. */
export async function isFinished(folder: string): Promise<boolean> {
  return exists(join(folder, manifestName));
}

/** Writes all files. @returns the path of the table */
export async function writeRecords(folder: string, records: RunRecords): Promise<string> {
  const { manifest, decisions, times, summary } = records;
  await makeFolder(folder);
  await writeWhole(join(folder, 'decisions.jsonl'), lines(decisions));
  await writeWhole(join(folder, 'times.jsonl'), lines(times));
  await writeWhole(join(folder, 'table.md'), markdownTable(summary, `Run ${manifest.run}`));
  await writeWhole(join(folder, manifestName), pretty(manifest));
  return join(folder, 'table.md');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}

const lines = (items: readonly unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');
