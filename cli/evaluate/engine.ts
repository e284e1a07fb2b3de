/** Replays decisions chunk by chunk: a few in flight, written in planned order, so that neither the concurrency nor the order of ends shows in a byte. */
import { availableParallelism } from 'node:os';
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
  /** Of a proposer: the random gate's share is matched to each. */
  readonly runsOf: (proposer: string) => readonly Run[];
  /** Groups of decisions in flight, each on a connection of its own. */
  readonly concurrency: number;
  /** Decisions that are written together. */
  readonly chunkSize: number;
  /** Whole chunks that were written by an earlier run. */
  readonly doneChunks: number;
  readonly signal: AbortSignal;
};

/** A decision's outcomes, in order, and when and for how long it was worked on. */
export type Evaluated = { readonly outcomes: readonly EvaluatedOutcome[]; readonly startedAt: string; readonly clock: Clock };

/** Groups in flight where nobody says otherwise: two a core, so that one works while the other waits for the database. */
export const usualConcurrency = (): number => availableParallelism() * 2;

/** Decisions that the judge looks at together: enough worlds to make the trips not count, few enough to keep all connections busy. */
export const scoredAtOnce = 4;

/**
 * The chunks that are left, one after the other, each as soon as it is whole. Work goes on behind a chunk that is being written, by so much as is in flight.
 * @throws the signal's reason where it was aborted
 */
export async function* evaluateChunks(pool: Pool, work: Work): AsyncGenerator<Evaluated[]> {
  yield* inChunks(work.proposals.slice(work.doneChunks * work.chunkSize), work, (group) => evaluateGroup(pool, work, group));
}

/**
 * Works through the items in groups, so many at once, and hands the results out a whole chunk at a time, in the order of the items.
 * @throws the signal's reason where it was aborted
 */
export async function* inChunks<T, R>(items: readonly T[], { chunkSize, concurrency, signal }: Pick<Work, 'chunkSize' | 'concurrency' | 'signal'>, work: (group: readonly T[]) => Promise<readonly R[]>): AsyncGenerator<R[]> {
  const chunks = slices(items, chunkSize);
  const groups = chunks.flatMap((chunk) => slices(chunk, Math.min(scoredAtOnce, Math.ceil(chunkSize / concurrency))));
  let chunk: R[] = [];
  for await (const results of inOrder(groups, concurrency, work)) {
    signal.throwIfAborted(); // also where nothing is left to begin
    chunk.push(...results);
    if (chunk.length < (chunks[0]?.length ?? 0)) continue;
    yield chunk;
    chunks.shift();
    chunk = [];
  }
}

async function evaluateGroup(pool: Pool, { runsOf, signal }: Work, group: readonly FrozenProposal[]): Promise<Evaluated[]> {
  const started: { startedAt: string; clock: Clock; replayed: Replayed }[] = [];
  for (const proposal of group) {
    signal.throwIfAborted();
    const startedAt = new Date().toISOString();
    const clock = createClock();
    const ready = readyDecision(proposal, runsOf(proposal.proposer));
    const done = await replayDecision({ pool, clock }, ready, `${proposal.proposer}/${String(proposal.seed)}/${proposal.caseId}`);
    started.push({ startedAt, clock, replayed: { plan: ready.plan, done } });
  }
  const scoring = createClock();
  const outcomes = await scoring.time('score', outcomesOf(pool, started.map(({ replayed }) => replayed)));
  return started.map(({ startedAt, clock }, index) => ({ outcomes: outcomes[index] ?? [], startedAt, clock: { ...clock, ms: { ...clock.ms, score: scoring.ms.score / group.length } } }));
}

/**
 * Works on so many at once and hands the results out in the order of the items. After a failure no other item is begun, and it is told once those in flight have
 * ended: nobody may still write to a database that is dropped.
 */
export async function* inOrder<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  try {
    for (const item of items) {
      const result = work(item);
      result.catch(() => undefined); // awaited when its turn comes
      running.push(result);
      if (running.length >= atOnce) yield await (running.shift() as Promise<R>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<R>);
  } finally {
    await Promise.allSettled(running);
  }
}

/** The items in runs of `size`, the last one maybe shorter. */
export function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
}
