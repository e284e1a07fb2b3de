/** The rows that a proposal rests on, beside what they are by now. */
import type { ReadSet } from '../contract/observation.ts';
import type { Queryable } from './pool.ts';

/** A row of a read set. `now`: its version by now, null where the row is gone. */
export type RowSince = { readonly table: string; readonly key: string; readonly read: string; readonly now: string | null };

/** From one snapshot, in the read set's order. Old as soon as it is there: nothing is locked. */
export async function versionsNow(db: Queryable, worldId: string, readSet: ReadSet): Promise<readonly RowSince[]> {
  const { rows } = await db.query<{ now: string | null }>(
    `select (select h.new_row ->> 'version' from holdpoint.row_history h where h.world_id = $1 and h.table_name = w.table_name and h.key = w.key order by h.id desc limit 1) as now
     from unnest($2::text[], $3::text[]) with ordinality as w (table_name, key, position) order by w.position`,
    [worldId, readSet.map((row) => row.table), readSet.map((row) => row.key)]);
  return readSet.map(({ table, key, version }, at) => ({ table, key, read: version, now: rows[at]?.now ?? null }));
}
