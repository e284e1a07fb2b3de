/** All that the tables keep of one episode or rollback, for whoever tells it as one history: a command, a page. Reads only. */
import type { BoundaryRow, WorldChange } from '../contract/episode-facts.ts';
import { boundaryOf, episodeTimes, saidOf, worldChangesOf, type SaidEntry } from './audit.ts';
import { episodeOf, type EpisodeRow } from './episodes.ts';
import type { Queryable } from './pool.ts';
import { argumentsOf } from './proposed-arguments.ts';

/** `episode` and `times`: undefined for a rollback, and for an episode that was cleaned. `proposed`: frozen arguments by op key. */
export type EpisodeRecord = {
  readonly episode: EpisodeRow | undefined; readonly times: { readonly startedAt: string; readonly endedAt: string | null } | undefined;
  readonly boundary: readonly BoundaryRow[]; readonly said: readonly SaidEntry[]; readonly changes: readonly WorldChange[]; readonly proposed: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** Undefined where nothing is known of this id. */
export async function recordOf(db: Queryable, episodeId: string): Promise<EpisodeRecord | undefined> {
  const [episode, times, boundary, said, asked] = await Promise.all([episodeOf(db, episodeId), episodeTimes(db, episodeId), boundaryOf(db, episodeId), saidOf(db, episodeId), argumentsOf(db, [episodeId])]);
  if (episode === undefined && boundary.length === 0 && said.length === 0) return undefined;
  const worldId = episode?.worldId ?? asked[0]?.worldId;
  const changes = worldId === undefined ? [] : await worldChangesOf(db, worldId);
  return { episode, times, boundary, said, changes, proposed: Object.fromEntries(asked.map((row) => [row.opKey, row.arguments])) };
}
