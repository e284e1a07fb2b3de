/** Worlds in pages, and whose they are. */
import type { Queryable } from './pool.ts';

/** Which worlds: those of a batch's episodes, or all that there are. */
export type WorldRange = { readonly batchId: string | null };

/** An episode and its world. */
export type EpisodeOfWorld = { readonly worldId: string; readonly episodeId: string; readonly batchId: string; readonly caseId: string };

const all = (what: string): string => `select ${what} from holdpoint.worlds w where $1::text is null`;
const ofBatch = (what: string): string => `select distinct ${what} from holdpoint.episodes w where w.batch_id = $1::text`;

/** How many worlds there are. */
export async function countWorlds(db: Queryable, { batchId }: WorldRange): Promise<number> {
  const { rows } = await db.query<{ n: number }>(`select count(*)::int as n from (${(batchId === null ? all : ofBatch)('w.world_id')}) w`, [batchId]);
  return rows[0]?.n ?? 0;
}

/** The ids of all of them in their order, at most `atOnce` in one array. */
export async function* worldPages(db: Queryable, { batchId }: WorldRange, atOnce: number): AsyncGenerator<readonly string[], void, undefined> {
  const source = (batchId === null ? all : ofBatch)('w.world_id');
  for (let after = '0'; ;) {
    const { rows } = await db.query<{ worldId: string }>(`select w.world_id as "worldId" from (${source} and w.world_id > $2) w order by w.world_id limit $3`, [batchId, after, atOnce]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => row.worldId);
    after = last.worldId;
  }
}

/** The episodes in these worlds, by world. */
export async function episodesIn(db: Queryable, worldIds: readonly string[]): Promise<ReadonlyMap<string, EpisodeOfWorld>> {
  const { rows } = await db.query<EpisodeOfWorld>(
    'select e.world_id as "worldId", e.episode_id as "episodeId", e.batch_id as "batchId", e.case_id as "caseId" from holdpoint.episodes e where e.world_id = any ($1::bigint[]) order by e.started_at desc', [worldIds]);
  return new Map(rows.map((row) => [row.worldId, row]));
}
