/** Removes what is older than an age: worlds with their episodes, frozen replies, and the histories of removed episodes in Temporal. */
import type { Client } from '@temporalio/client';
import type { Pool } from '../../database/pool.ts';
import { countOld, removeChunk, type Removed } from './chunks.ts';

/** What was, or would be, removed. */
export type Cleaned = Removed & {
  readonly replies: number;
  /** Workflows deleted from Temporal; null where it was not asked: there its retention removes them. */
  readonly workflows: number | null;
  /** Episodes without an end: they and all frozen replies stay, because a running episode may need them. */
  readonly openEpisodes: number;
};

/** Counts what would go. */
export async function countCleanable(owner: Pool, olderThanMs: number): Promise<Cleaned> {
  const openEpisodes = await countOpen(owner);
  const { rows } = await owner.query<{ n: number }>(`select count(*)::int as n from holdpoint.replies where ${oldReplies}`, [olderThanMs]);
  return { ...(await countOld(owner, olderThanMs)), replies: openEpisodes > 0 ? 0 : (rows[0]?.n ?? 0), workflows: null, openEpisodes };
}

const oldReplies = "asked_at < clock_timestamp() - $1 * interval '1 millisecond'";

/** Removes it. Stopped half way it has removed whole worlds only; running it again goes on. `signal`: checked between chunks. */
export async function clean(owner: Pool, olderThanMs: number, options: { temporal: Client | undefined; signal?: AbortSignal; onChunk?: (worlds: number) => void }): Promise<Cleaned> {
  const total = { worlds: 0, episodes: 0, history: 0, ledger: 0, approvals: 0, decisions: 0, refusals: 0 };
  let workflows = 0;
  for (let after = '0'; ; ) {
    options.signal?.throwIfAborted();
    const chunk = await removeChunk(owner, olderThanMs, after);
    if (chunk === undefined) break;
    after = chunk.lastWorldId;
    for (const name of Object.keys(total) as (keyof Removed)[]) total[name] += chunk.removed[name];
    if (options.temporal !== undefined) workflows += await deleteClosed(options.temporal, [...chunk.episodeIds, ...(await emptied(owner, chunk.batchIds))]);
    options.onChunk?.(total.worlds);
  }
  const openEpisodes = await countOpen(owner);
  const replies = openEpisodes > 0 ? 0 : ((await owner.query(`delete from holdpoint.replies where ${oldReplies}`, [olderThanMs])).rowCount ?? 0);
  return { ...total, replies, workflows: options.temporal === undefined ? null : workflows, openEpisodes };
}

async function countOpen(owner: Pool): Promise<number> {
  const { rows } = await owner.query<{ n: number }>('select count(*)::int as n from holdpoint.episodes where outcome is null');
  return rows[0]?.n ?? 0;
}

/** Batches of which no episode is left. */
async function emptied(owner: Pool, batchIds: readonly string[]): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>('select id from unnest($1::text[]) as id where not exists (select from holdpoint.episodes e where e.batch_id = id)', [batchIds]);
  return rows.map((row) => row.id);
}

/** Deletes the executions of these ids that have closed. Deleting a running one would end it, so each is looked at first, and only the run looked at is deleted. */
async function deleteClosed(client: Client, workflowIds: readonly string[]): Promise<number> {
  let deleted = 0;
  for (const workflowId of workflowIds) {
    const found = await client.workflow.getHandle(workflowId).describe().catch(() => undefined); // gone already, or no longer told: retention removes it
    if (found?.closeTime === undefined) continue;
    const { namespace } = client.options;
    deleted += await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId: found.runId } }).then(() => 1, () => 0);
  }
  return deleted;
}
