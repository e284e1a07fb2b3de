/** Replays decisions chunk by chunk: a few in flight, written in planned order, so that neither the concurrency nor the order of ends shows in a byte. */
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import type { Pool } from '../../database/pool.ts';
import { readyDecision } from './acts.ts';
import { createClock, type Clock } from './clock.ts';
import { outcomesOf, type Replayed } from './outcomes.ts';
import type { Run } from './plan.ts';
import { replayDecision } from './replay.ts';

/** What is evaluated, and how much of it at once. */
export type Work = {
  readonly proposals: readonly FrozenProposal[];
  readonly runs: readonly Run[];
  /** Decisions in flight. */
  readonly concurrency: number;
  /** Decisions that are written together. */
  readonly chunkSize: number;
  /** Whole chunks that were written by an earlier run. */
  readonly doneChunks: number;
  readonly signal: AbortSignal;
};

/** A decision's outcomes, in order, and when and for how long it was worked on. */
export type Evaluated = { readonly outcomes: readonly EvaluatedOutcome[]; readonly startedAt: string; readonly clock: Clock };

/** Decisions that the judge looks at together: enough worlds to make the trips not count, few enough to keep all connections busy. */
const scoredAtOnce = 4;

/** The chunks that are left, one after the other. The next one is begun when the last one was taken. @throws the signal's reason where it was aborted */
export async function* evaluateChunks(pool: Pool, work: Work): AsyncGenerator<Evaluated[]> {
  const { proposals, chunkSize } = work;
  for (let start = work.doneChunks * chunkSize; start < proposals.length; start += chunkSize) {
    const groups = slices(proposals.slice(start, start + chunkSize), Math.min(scoredAtOnce, Math.ceil(chunkSize / work.concurrency)));
    const evaluated: Evaluated[][] = groups.map(() => []);
    await inFlight(groups, work, async (group, index) => {
      evaluated[index] = await evaluateGroup(pool, work, group);
    });
    yield evaluated.flat();
  }
}

async function evaluateGroup(pool: Pool, { runs, signal }: Work, group: readonly FrozenProposal[]): Promise<Evaluated[]> {
  const started: { startedAt: string; clock: Clock; replayed: Replayed }[] = [];
  for (const proposal of group) {
    signal.throwIfAborted();
    const startedAt = new Date().toISOString();
    const clock = createClock();
    const ready = readyDecision(proposal, runs);
    const done = await replayDecision({ pool, clock }, ready, `${proposal.proposer}/${String(proposal.seed)}/${proposal.caseId}`);
    started.push({ startedAt, clock, replayed: { plan: ready.plan, done } });
  }
  const scoring = createClock();
  const outcomes = await scoring.time('score', outcomesOf(pool, started.map(({ replayed }) => replayed)));
  return started.map(({ startedAt, clock }, index) => ({ outcomes: outcomes[index] ?? [], startedAt, clock: { ...clock, ms: { ...clock.ms, score: scoring.ms.score / group.length } } }));
}

/** Works on so many at once. After a failure no other is begun, and it is told once those in flight have ended: nobody may still write to a database that is dropped. */
async function inFlight<T>(items: readonly T[], { concurrency }: Pick<Work, 'concurrency'>, work: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as T, index).catch((error: unknown) => {
        next = items.length;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, lane));
  const failed = lanes.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}
