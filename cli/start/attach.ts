/** Finds the batch that a start goes on with, or starts it: a killed run is gone on with, a finished one is followed by the next number. */
import { join } from 'node:path';
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { BatchInput } from '../../contract/batch-input.ts';
import { recordedAmong } from '../../database/episodes.ts';
import type { Queryable } from '../../database/pool.ts';
import type { batch } from '../../workflows/index.ts';
import { startBatch } from '../runtime/client.ts';
import type { Settings } from '../runtime/settings.ts';
import { planRun } from '../records/plan.ts';
import { isUnfinished } from '../records/write.ts';

/** How the batch was found. `finished`: all its episodes are recorded, only its records are to be written. */
export type Attached = { readonly how: 'started' | 'resumed' | 'running' | 'finished'; readonly handle: WorkflowHandle<typeof batch> | null };

/** What finding takes. */
export type Tools = { readonly client: Client; readonly db: Queryable; readonly settings: Settings };

/** Where a run of this id stands: `new` where there is no trace of it. */
type Standing = 'new' | 'running' | 'incomplete' | 'complete';

/** The id to run under: the named one as it is, else the first of `base`, `base-2`, `base-3`… that is not finished. */
export async function chooseRunId(tools: Tools, base: string, at: { input: BatchInput; resultsDir: string }): Promise<string> {
  for (let number = 1; ; number += 1) {
    const runId = number === 1 ? base : `${base}-${String(number)}`;
    const standing = await standingOf(tools, runId, at.input);
    if (standing !== 'complete' || (await isUnfinished(join(at.resultsDir, runId)))) return runId;
  }
}

/** Attaches to the batch where it runs, else starts it: again under the same id where it was not complete. */
export async function attach(tools: Tools, runId: string, input: BatchInput): Promise<Attached> {
  const { client, settings } = tools;
  const standing = await standingOf(tools, runId, input);
  if (standing === 'complete') return { how: 'finished', handle: null };
  if (standing === 'running') return { how: 'running', handle: client.workflow.getHandle<typeof batch>(runId) };
  const handle = await startBatch(client, { batchId: runId, input: { ...input, batchId: runId } }, { queuePrefix: settings.queuePrefix });
  return { how: standing === 'new' ? 'started' : 'resumed', handle };
}

async function standingOf({ client, db }: Tools, runId: string, input: BatchInput): Promise<Standing> {
  const status = await client.workflow.getHandle(runId).describe().then(({ status: { name } }) => name, (error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  if (status === 'RUNNING' || status === 'PAUSED') return 'running';
  if (status === 'COMPLETED') return 'complete';
  // Temporal forgets a batch after its retention; the database does not.
  const planned = planRun(runId, input).map((episode) => episode.episodeId);
  const recorded = await recordedAmong(db, planned);
  if (recorded.size === planned.length) return 'complete';
  return status === null && recorded.size === 0 ? 'new' : 'incomplete';
}
