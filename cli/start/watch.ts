/** Waits for a batch and shows how far it is. */
import { WorkflowFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import type { Queryable } from '../../database/pool.ts';
import type { batch, BatchProgress } from '../../workflows/index.ts';
import { UserError } from '../output.ts';
import { bar, inWords, type Progress } from './progress.ts';
import { reportedProblem } from './temporal-facts.ts';
import { createEstimate, type Plan, type Position } from './time-left.ts';

/** What watching takes. */
export type Watching = { readonly client: Client; readonly db: Queryable; readonly runId: string; readonly plan: Plan; readonly progress: Progress };

/** How often the counts are read, in milliseconds. */
const everyMs = 1_000;

/** After how long without an episode's end the batch's own code is suspected, in milliseconds. */
const suspiciousMs = 20_000;

/** Resolves when the batch has ended well. @throws UserError where it was cancelled, terminated or failed */
export async function watchBatch(handle: WorkflowHandle<typeof batch>, watching: Watching): Promise<void> {
  const { progress, runId, plan } = watching;
  const timeLeft = createEstimate(plan);
  const lookForTrouble = troubleFinder(watching);
  const state = { over: false };
  const result = handle.result().finally(() => { state.over = true; });
  result.catch(() => undefined); // awaited below
  const show = async (): Promise<void> => {
    const [at, told] = await Promise.all([positionOf(watching), stateOf(handle)]);
    const done = at.ended + told.failed;
    if (!state.over) progress.show(lineOf({ ...at, ended: done }, plan, { paused: told.paused, leftMs: timeLeft(Date.now(), at) }));
    await lookForTrouble(Date.now(), at.ended);
  };
  try {
    while (!state.over) {
      await show().catch(() => undefined); // a missed look is no reason to give the batch up
      await Promise.race([result, new Promise((resolve) => setTimeout(resolve, everyMs))]);
    }
    await result;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new UserError(`The batch ${runId} ended early (${error.cause?.message ?? error.message}): the same command goes on with it.`);
  } finally {
    progress.clear();
  }
}

/** Says once what keeps a batch that stands still from going on. */
function troubleFinder({ client, runId, progress }: Watching): (nowMs: number, ended: number) => Promise<void> {
  let last = { ended: -1, nowMs: 0 };
  let told = false;
  return async (nowMs, ended) => {
    if (ended !== last.ended) last = { ended, nowMs };
    if (told || nowMs - last.nowMs < suspiciousMs) return;
    const problem = await reportedProblem(client, runId);
    if (problem === null) return;
    told = true;
    progress.say(`The batch ${runId} stands still because its workflow's code fails (${problem}): see it in the UI; a start with another version of the code goes on with it.`);
  };
}

function lineOf(at: Position, plan: Plan, { paused, leftMs }: { paused: boolean; leftMs: number | null }): string {
  const time = leftMs === null ? 'estimating' : `${inWords(leftMs)} left`;
  return `${bar(at.ended / Math.max(1, plan.episodes))} ${String(at.ended)}/${String(plan.episodes)} episodes, ${String(at.answered)}/${String(plan.proposals)} proposals, ${paused ? 'paused' : time}`;
}

async function positionOf({ db, runId }: Watching): Promise<Position> {
  const { rows } = await db.query<Position>(
    `select count(*) filter (where outcome is not null)::int as ended,
       count(distinct (model, seed, case_id)) filter (where outcome is not null or steps -> 0 ? 'answer')::int as answered
     from holdpoint.episodes where batch_id = $1`,
    [runId],
  );
  return rows[0] ?? { ended: 0, answered: 0 };
}

/** The batch's own word; while it passes from page to page it has none. */
async function stateOf(handle: WorkflowHandle<typeof batch>): Promise<Pick<BatchProgress, 'failed' | 'paused'>> {
  const silence = new Promise<{ failed: number; paused: boolean }>((resolve) => setTimeout(resolve, 2_000, { failed: 0, paused: false }));
  return Promise.race([handle.query<BatchProgress>('progress').catch(() => ({ failed: 0, paused: false })), silence]);
}
