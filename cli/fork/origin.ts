/** The episode to fork, or in one sentence why it cannot be. */
import type { Client } from '@temporalio/client';
import type { EpisodeRow } from '../../database/episodes.ts';
import { forkable, othersWrites, type ForkPoint, type OthersWrite } from '../../database/forks.ts';
import type { Queryable } from '../../database/pool.ts';
import { printable, UserError } from '../output.ts';

/** What is forked: the episode, the attempt, and what others wrote, before it and after. */
export type Origin = { readonly episode: EpisodeRow; readonly point: ForkPoint; readonly others: readonly OthersWrite[] };

/** @throws UserError for an episode that is unknown, was cleaned away, still runs or never tried to commit */
export async function findOrigin({ client, db }: { client: Client; db: Queryable }, episodeId: string): Promise<Origin> {
  const found = await forkable(db, episodeId);
  if (!('refused' in found)) return { ...found, others: await othersWrites(db, found.point) };
  const known = found.unknown && (await client.workflow.getHandle(episodeId).describe().then(() => true, () => false));
  if (known) throw new UserError(`The episode "${printable(episodeId)}" was cleaned away: its workflow is known still, but its world, which a fork is made of, is not there.`);
  throw new UserError(printable(found.refused, 600));
}
