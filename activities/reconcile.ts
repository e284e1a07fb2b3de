/** Settles an episode whose workflow can do it no more: every op key is closed, and what had committed is told. */
import type { EpisodeOutcome } from '../contract/outcome.ts';
import { recordOutcome, type EpisodeRow } from '../database/episodes.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { settle } from './settle.ts';

/** Closes the keys of all steps, and of the one that a dying workflow may have just begun, then judges and records. Idempotent. */
export async function settleAbandoned({ pool, score }: Pick<ActivityDependencies, 'pool' | 'score'>, episode: EpisodeRow, end: Pick<EpisodeOutcome, 'class' | 'reason'>): Promise<{ outcome: EpisodeOutcome; leaked: boolean | null }> {
  const steps = Math.max(1, episode.steps.length);
  let ledgerId: string | null = null;
  for (let step = 1; step <= steps + 1; step += 1) {
    const closed = await settle(pool, episode, { step, reason: end.reason ?? 'op_key_closed', decision: 'cancelled' });
    ledgerId ??= closed.ledgerId;
  }
  const outcome: EpisodeOutcome = ledgerId === null ? { ...end, ledgerId, steps } : { class: 'committed', reason: null, ledgerId, steps };
  const judged = await score({ episodeId: episode.episodeId, worldId: episode.worldId, caseId: episode.caseId });
  return { outcome: (await recordOutcome(pool, episode.episodeId, { outcome, score: judged })) ?? outcome, leaked: judged.leaked };
}
