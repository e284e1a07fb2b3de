/** What came of the acts, as the judge sees it from the database alone: the lines of `outcomes.jsonl`. */
import { scoreWorlds, type Score, type Unjudged } from '../../checker/score.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { Pool } from '../../database/pool.ts';
import type { EpisodePlan } from '../../scenarios/scenario.ts';
import { truthOf } from '../runtime/score.ts';
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
  return replayed.map(({ done }) => done.map(({ act, blockedBy }): EvaluatedOutcome => (
    { ...act.known, blockedBy, ...judged(scores[next++], `outcome of ${act.known.controller} on ${act.known.caseId}`) }
  )));
}

/** What the judge's word adds to a line. */
type Judged = Pick<EvaluatedOutcome, 'committed' | 'unsafe' | 'safeSuccess' | 'wrongEffect' | 'diffExact' | 'duplicates' | 'integrity' | 'failedClauses'>;

/** A score as a line holds it. @throws Error naming `what` where it could not be judged */
export function judged(score: Score | Unjudged | undefined, what: string): Judged {
  if (score === undefined || 'unjudged' in score) throw new Error(`The ${what} cannot be judged: ${score?.unjudged ?? 'no score'}`);
  const { committed, unsafe, safeSuccess, wrongEffect, diffExact, duplicates, integrity, failedClauses } = score;
  return { committed, unsafe, safeSuccess, wrongEffect, diffExact, duplicates, integrity, failedClauses: [...failedClauses] };
}
