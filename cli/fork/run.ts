/** Runs a fork to its end, and shows how far it is. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import type { Guard } from '../../contract/guard.ts';
import { guardLabel } from '../../contract/names.ts';
import { episodeOf } from '../../database/episodes.ts';
import type { Queryable } from '../../database/pool.ts';
import { epochOf } from '../../database/worlds.ts';
import type { episode } from '../../workflows/index.ts';
import { printable, UserError } from '../output.ts';
import { startEpisode } from '../runtime/client.ts';
import { listenForEnd } from '../start/ending.ts';
import { createProgress, type Progress } from '../start/progress.ts';
import type { Origin } from './origin.ts';

/** What running one takes. */
type Servers = { readonly client: Client; readonly db: Queryable; readonly queuePrefix: string };

/** The batch that forks are in, unlike the episodes that they repeat: a batch's tables count no commit twice. */
export const forkBatch = 'forks';

/** How often the fork's world is looked at, in milliseconds. */
const everyMs = 500;

/** An id for a fork of the episode under this guard, numbered after those that there are. */
export async function forkIdFor(db: Queryable, episodeId: string, guard: Guard): Promise<string> {
  const stem = `${episodeId}/fork/${guardLabel(guard)}/`;
  const { rows } = await db.query<{ next: number }>(
    `select coalesce(max(substr(e.episode_id, length($1) + 1)::int), 0) + 1 as next from holdpoint.episodes e where starts_with(e.episode_id, $1) and substr(e.episode_id, length($1) + 1) ~ '^\\d{1,6}$'`, [stem]);
  return `${stem}${String(rows[0]?.next ?? 1)}`;
}

/** Starts the fork and waits for it. Interrupted, it is cancelled first, so that its op key is closed. @throws UserError where it is interrupted, its id is used or its workflow fails */
export async function runFork(servers: Servers, { episode: from, point }: Origin, fork: { forkId: string; guard: Guard; manual: boolean }): Promise<void> {
  const { forkId, guard } = fork;
  const ending = listenForEnd('Interrupted: the fork was cancelled.', 'the fork goes on by itself.');
  const progress = createProgress();
  const state = { over: false };
  try {
    const input = { batchId: forkBatch, caseId: from.caseId, model: from.model, seed: from.seed, guard, fork: { episodeId: from.episodeId }, ...(fork.manual && { approval: { mode: 'manual' as const } }) };
    const handle = await startEpisode(servers.client, { episodeId: forkId, input }, servers);
    const result = handle.result().finally(() => { state.over = true; });
    result.catch(() => undefined); // awaited below
    if (fork.manual) progress.say(`The fork waits for people: \`holdpoint show ${printable(forkId, 1_000)}\`.`);
    while (!state.over && !ending.signal.aborted) {
      progress.show(await lineOf(servers.db, forkId, point.epoch).catch(() => 'the fork runs'));
      await Promise.race([result.catch(() => undefined), ending.asked, new Promise((resolve) => setTimeout(resolve, everyMs))]);
    }
    if (ending.signal.aborted && !state.over) await cancelled(handle, progress);
    ending.signal.throwIfAborted();
    await result;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new UserError(`The fork ${printable(forkId)} failed: ${printable(rootOf(error), 400)}`);
  } finally {
    progress.clear();
    ending.release();
  }
}

async function cancelled(handle: WorkflowHandle<typeof episode>, progress: Progress): Promise<void> {
  progress.show('cancelling the fork');
  await handle.cancel();
  await handle.result().catch(() => undefined);
}

/** How much of what others wrote is there again. */
async function lineOf(db: Queryable, forkId: string, untilEpoch: string): Promise<string> {
  const row = await episodeOf(db, forkId);
  if (row === undefined) return 'opening the fork';
  return `the world is at epoch ${await epochOf(db, row.worldId)}, the commit comes after ${untilEpoch}`;
}

/** The innermost reason. */
function rootOf(error: Error): string {
  return error.cause instanceof Error ? rootOf(error.cause) : error.message;
}
