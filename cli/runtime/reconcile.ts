/** Finds the episodes without an outcome whose workflow is not running, and settles each. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { settleAbandoned } from '../../activities/reconcile.ts';
import type { ActivityDependencies } from '../../activities/index.ts';
import type { EpisodeClass, EpisodeOutcome } from '../../contract/outcome.ts';
import type { Reason } from '../../contract/failures.ts';
import { episodeOf, openEpisodes } from '../../database/episodes.ts';

/** One settled episode. `finding`: what the commit is, by rule. */
export type Reconciled = {
  readonly episodeId: string;
  /** How its workflow ended, in Temporal's word, or `is gone`. */
  readonly workflow: string;
  readonly outcome: EpisodeOutcome;
  /** `nothing committed`, `committed safely`, `leaked` (the full predicate did not hold), or `not judged`. */
  readonly finding: string;
};

/** Settles what no workflow will. An episode that is running, or whose workflow is about to start, is left alone. */
export async function reconcile({ client, pool, score }: { client: Client } & Pick<ActivityDependencies, 'pool' | 'score'>): Promise<Reconciled[]> {
  const settled: Reconciled[] = [];
  for (const episode of await openEpisodes(pool)) {
    const status = await statusOf(client, episode.episodeId);
    if (status === 'RUNNING' || status === 'PAUSED') continue;
    if ((await episodeOf(pool, episode.episodeId))?.outcome !== null) continue; // it ended by itself while we looked
    const end: { class: EpisodeClass; reason: Reason | null } = status === 'TERMINATED' || status === 'CANCELLED' ? { class: 'cancelled', reason: 'cancelled' } : { class: 'infrastructure_failure', reason: null };
    const { outcome, leaked } = await settleAbandoned({ pool, score }, episode, end);
    settled.push({ episodeId: episode.episodeId, workflow: status === 'GONE' ? 'is gone' : `was ${status.toLowerCase()}`, outcome, finding: findingOf(outcome, leaked) });
  }
  return settled;
}

async function statusOf(client: Client, episodeId: string): Promise<string> {
  try {
    return (await client.workflow.getHandle(episodeId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'GONE';
    throw error;
  }
}

function findingOf(outcome: EpisodeOutcome, leaked: boolean | null): string {
  if (outcome.class !== 'committed') return 'nothing committed';
  if (leaked === null) return 'not judged';
  return leaked ? 'leaked' : 'committed safely';
}
