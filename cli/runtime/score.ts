/** Joins the judge to the activities: what it cannot judge is recorded as unjudged, never as fine. */
import type { Score, ScoreRequest } from '../../activities/index.ts';
import { scoreEpisode, UnjudgedError, type ScoreRequest as Judging } from '../../checker/score.ts';
import type { Pool } from '../../database/pool.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { EpisodePlan } from '../../scenarios/scenario.ts';

/** The judge as the activities call it. */
export function scoreWith(pool: Pool): (request: ScoreRequest) => Promise<Score> {
  return async ({ worldId, episodeId, caseId }) => {
    try {
      const score = await scoreEpisode(pool, { worldId, episodeId, ...truthOf(planOf(caseId)) });
      return { ...score, leaked: score.committed ? score.unsafe : null };
    } catch (error) {
      if (!(error instanceof UnjudgedError)) throw error;
      return { leaked: null, unjudged: error.message };
    }
  };
}

/** What a case's worlds are judged against. */
export function truthOf(plan: EpisodePlan): Pick<Judging, 'expected' | 'drift' | 'twin'> {
  const drift = [...plan.before, ...plan.race].filter((step) => !step.towardsGoal).flatMap((step) => step.changes);
  return { expected: plan.expected, drift, twin: plan.twin };
}
