/** Whether the code of today still replays the histories that were kept of every kind of workflow and version. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printable, UserError } from '../output.ts';
import { readHistory } from '../replay/read-history.ts';
import { replayHistories, type ReplayResult } from '../replay/run.ts';

/** Where the project keeps them. */
export const keptFolder = fileURLToPath(new URL('../../test/replay/histories/', import.meta.url));

/** A history that no longer replays. `event`: where, or null where no event can be named. `sentence` is for people. */
export type Break = Pick<ReplayResult, 'file' | 'workflowId' | 'workflowType'> & { readonly event: number | null; readonly expected: string | null; readonly found: string | null; readonly sentence: string };

/** How many histories were replayed, and those that broke. */
export type Checked = { readonly histories: number; readonly events: number; readonly breaks: readonly Break[] };

/** Replays every history of a folder. @throws UserError where there is none, or one is torn */
export async function checkHistories(folder: string): Promise<Checked> {
  const names = await readdir(folder).catch(() => {
    throw new UserError(`${printable(folder)} is no folder that can be read: give the folder in which histories are kept.`, 2);
  });
  const files = names.filter((name) => name.endsWith('.json')).sort().map((name) => join(folder, name));
  if (files.length === 0) throw new UserError(`${printable(folder)} holds no histories.`, 2);
  const results = await replayHistories(await Promise.all(files.map(readHistory)));
  return { histories: results.length, events: results.reduce((sum, { events }) => sum + events, 0), breaks: results.filter(({ result }) => result !== 'replays').map(asBreak) };
}

function asBreak({ file, workflowId, workflowType, why, findings }: ReplayResult): Break {
  const [first] = findings;
  const about = `The ${printable(workflowType)} ${printable(workflowId)} (${printable(file)}) no longer replays: ${why ?? 'for an unknown reason'}.`;
  const more = findings.length > 1 ? ` ${String(findings.length - 1)} more differences follow.` : '';
  return { file, workflowId, workflowType, event: first?.event ?? null, expected: first?.expected ?? null, found: first?.found ?? null, sentence: about + more };
}
