/** What came of the acts, as the judge sees it from the database alone: the lines of `outcomes.jsonl`. */
import { scoreWorlds, type ScoreRequest } from '../../checker/score.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { Pool } from '../../database/pool.ts';
import type { EpisodePlan } from '../../scenarios/scenario.ts';
import type { DoneAct } from './replay.ts';

/** A decision after its replay. */
export type Replayed = { readonly plan: EpisodePlan; readonly done: readonly DoneAct[] };

/**
 * Scores every act of the decisions in one go. @returns the outcomes of each decision, in order
 * @throws Error where a world cannot be judged: nobody but this run writes here, so no outcome may be unknown
 */
export async function outcomesOf(pool: Pool, replayed: readonly Replayed[]): Promise<EvaluatedOutcome[][]> {
  const requests = replayed.flatMap(({ plan, done }) => {
    return done.map(({ worldId, episodeId }) => ({ worldId, episodeId, ...truthOf(plan) }));
  });
  const scores = await scoreWorlds(pool, requests);
  let next = 0;
  return replayed.map(({ done }) => done.map(({ act, blockedBy }): EvaluatedOutcome => {
    const score = scores[next++];
    if (score === undefined || 'unjudged' in score) throw new Error(`The outcome of ${act.known.controller} on ${act.known.caseId} cannot be judged: ${score?.unjudged ?? 'no score'}`);
    const { committed, unsafe, safeSuccess, wrongEffect, diffExact, duplicates, integrity, failedClauses } = score;
    return { ...act.known, blockedBy, committed, unsafe, safeSuccess, wrongEffect, diffExact, duplicates, integrity, failedClauses: [...failedClauses] };
  }));
}

/** What a case's worlds are judged against. */
export function truthOf(plan: EpisodePlan): Pick<ScoreRequest, 'expected' | 'drift' | 'twin'> {
  const drift = [...plan.before, ...plan.race].filter((step) => !step.towardsGoal).flatMap((step) => step.changes);
  return { expected: plan.expected, drift, twin: plan.twin };
}
