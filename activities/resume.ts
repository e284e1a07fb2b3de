/** What a further run of an episode finds of the one before. */
import { opKeyOf } from '../contract/names.ts';
import { settledKeys, type EpisodeIdentity, type EpisodeRow } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import { failureOf } from './failures.ts';
import type { Opened } from './types.ts';

/** Where the episode goes on, or how it ended. @throws ApplicationFailure of type `malformed_input` where the id stands for another episode */
export async function resume(pool: Pool, racers: number, { known, identity }: { known: EpisodeRow; identity: EpisodeIdentity }): Promise<Omit<Opened, 'input'>> {
  const same = (['caseId', 'model', 'seed', 'guard'] as const).every((key) => known[key] === identity[key]) && known.without.join() === identity.without.join() && (known.forkedFrom ?? null) === (identity.forkedFrom ?? null);
  if (!same) throw failureOf('malformed_input', `The episode ${identity.episodeId} exists with another case, model, seed or guard: start this one under another id.`);
  const step = Math.max(1, known.steps.length);
  const keys = Array.from({ length: step }, (_, index) => opKeyOf(identity.episodeId, index + 1));
  const committed = [...(await settledKeys(pool, keys)).values()].find((key) => key.state === 'committed');
  return { racers, step, ended: known.outcome, committed: committed?.ledgerId ?? null };
}
