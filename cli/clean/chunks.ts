/** Removes old worlds with everything that hangs on them, a chunk in one transaction; nothing of an episode that has no end. */
import type { Pool, Queryable } from '../../database/pool.ts';
import { inTransaction } from '../../database/transaction.ts';

/** Rows by what they are. */
export type Removed = {
  readonly worlds: number; readonly episodes: number; readonly history: number; readonly ledger: number; readonly approvals: number; readonly decisions: number; readonly refusals: number;
};

/** One chunk's worlds and episodes, and what was removed. `lastWorldId`: where the next chunk goes on. */
export type Chunk = { readonly removed: Removed; readonly episodeIds: readonly string[]; readonly batchIds: readonly string[]; readonly lastWorldId: string };

/** So many worlds at once: few enough for a statement's time limit and for those who wait for a lock. */
const worldsAtOnce = 200;

/** A world that is being opened has no episode yet: one without is left alone for an hour, whatever age was asked. */
const oldWorlds = `
  select w.world_id from holdpoint.worlds w
  where w.created_at < clock_timestamp() - $1 * interval '1 millisecond'
    and case when exists (select from holdpoint.episodes e where e.world_id = w.world_id)
      then not exists (select from holdpoint.episodes e where e.world_id = w.world_id and (e.outcome is null or e.ended_at >= clock_timestamp() - $1 * interval '1 millisecond'))
      else w.created_at < clock_timestamp() - interval '1 hour' end`;

/** How many worlds and rows would go. Reads only. */
export async function countOld(db: Queryable, olderThanMs: number): Promise<Removed> {
  const { rows } = await db.query<Removed>(
    `with w as (${oldWorlds})
     select (select count(*) from w)::int as worlds,
       (select count(*) from holdpoint.episodes join w using (world_id))::int as episodes,
       (select count(*) from holdpoint.row_history join w using (world_id))::int as history,
       (select count(*) from holdpoint.ledger join w using (world_id))::int as ledger,
       (select count(*) from holdpoint.approvals join w using (world_id))::int as approvals,
       (select count(*) from holdpoint.decisions d where exists (select from holdpoint.approvals a join w using (world_id) where a.op_key = d.op_key))::int as decisions,
       (select count(*) from holdpoint.decision_refusals r where exists (select from holdpoint.approvals a join w using (world_id) where a.op_key = r.op_key))::int as refusals`,
    [olderThanMs],
  );
  return rows[0] as Removed;
}

/** Removes the next chunk after `afterWorldId`, or returns undefined where there is none. */
export async function removeChunk(owner: Pool, olderThanMs: number, afterWorldId: string): Promise<Chunk | undefined> {
  return inTransaction(owner, async (client) => {
    const { rows } = await client.query<{ world_id: string }>(`${oldWorlds} and w.world_id > $2 order by w.world_id limit ${String(worldsAtOnce)} for update of w skip locked`, [olderThanMs, afterWorldId]);
    const worldIds = rows.map((row) => row.world_id);
    const lastWorldId = worldIds.at(-1);
    if (lastWorldId === undefined) return undefined;
    const all = async (sql: string): Promise<number> => (await client.query(sql, [worldIds])).rowCount ?? 0;
    // The domain rows first, while the world still has its epoch: the triggers write history, and writing it needs one.
    await client.query("select set_config('holdpoint.actor', 'holdpoint clean', true), set_config('holdpoint.reason', 'removed by age', true)");
    for (const table of await rootTables(client)) await all(`delete from ${table} where world_id = any ($1)`);
    await client.query('set constraints all immediate');
    const refusals = await all('delete from holdpoint.decision_refusals where op_key in (select op_key from holdpoint.approvals where world_id = any ($1))');
    const decisions = await all('delete from holdpoint.decisions where op_key in (select op_key from holdpoint.approvals where world_id = any ($1))');
    const approvals = await all('delete from holdpoint.approvals where world_id = any ($1)');
    const ledger = await all('delete from holdpoint.ledger where world_id = any ($1)');
    const history = await all('delete from holdpoint.row_history where world_id = any ($1)');
    const gone = await client.query<{ episode_id: string; batch_id: string }>('delete from holdpoint.episodes where world_id = any ($1) returning episode_id, batch_id', [worldIds]);
    const worlds = await all('delete from holdpoint.worlds where world_id = any ($1)');
    return {
      removed: { worlds, episodes: gone.rows.length, history, ledger, approvals, decisions, refusals }, lastWorldId,
      episodeIds: gone.rows.map((row) => row.episode_id), batchIds: [...new Set(gone.rows.map((row) => row.batch_id))],
    };
  });
}

/** The tables that refer to a world directly, without its epoch: what hangs on them goes by itself. */
async function rootTables(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select distinct format('%I.%I', n.nspname, c.relname) as name from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where k.contype = 'f' and k.confrelid = 'holdpoint.worlds'::regclass and k.conrelid <> 'holdpoint.epochs'::regclass order by 1`,
  );
  return rows.map((row) => row.name);
}
