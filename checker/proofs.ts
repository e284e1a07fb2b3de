/** What must hold of a world whoever wrote to it: gapless epochs, a history that replays to the tables, a ledger that matches its effects. */
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import type { Finding, Proof } from './findings.ts';
import { presentRows, type KeptTable, type Regime } from './kept-tables.ts';
import { differs } from './older-images.ts';

/** What disproves a proof, for every world: at most 20 findings a query and world, so an empty list of a world is its proof. */
export async function proveWorlds(db: Queryable, regime: Regime, worldIds: readonly string[]): Promise<Finding[]> {
  const findings = aboutTables(regime, worldIds);
  for (const [proof, sql] of [...proofs, ['history', straysSql(regime.tables)], ['history', replaySql(regime.tables)]] as [Proof, string][]) {
    const rows = await ask<{ world_id: string; texts: string[] }>(db, `select world_id, (array_agg(text))[1:20] as texts from (${sql}) f group by world_id`, [worldIds]);
    findings.push(...rows.flatMap((row) => row.texts.map((text) => ({ worldId: row.world_id, proof, text }))));
  }
  return findings;
}

/** A history that was switched off, or never on, for a table proves nothing about any world. */
function aboutTables({ tables, unkept }: Regime, worldIds: readonly string[]): Finding[] {
  const texts = [
    ...tables.filter((table) => !table.enabled).map((table) => `the history of ${table.table} is switched off`),
    ...unkept.map((table) => `${table} has worlds and keeps no history`),
  ];
  return worldIds.flatMap((worldId) => texts.map((text): Finding => ({ worldId, proof: 'history', text, everywhere: true })));
}

/** Tables that the history names and that keep none, any more. */
function straysSql(tables: readonly KeptTable[]): string {
  return `select distinct world_id, format('the history names %s, which keeps none', table_name) as text
    from holdpoint.row_history where ${worlds} and table_name not in (${tables.map((table) => `'${table.table}'`).join(', ')})`;
}

/** The latest image of every key in the history against the rows that are there. */
function replaySql(tables: readonly KeptTable[]): string {
  return `select world_id, format('%s/%s is not what its history says', table_name, key) as text
    from (${presentRows(tables)}) now
    full join (select * from (select distinct on (world_id, table_name, key) world_id, table_name, key, new_row from holdpoint.row_history
      where ${worlds} order by world_id, table_name, key, epoch desc, id desc) last where new_row is not null) told using (world_id, table_name, key)
    where ${differs('told.new_row', 'now.row', 'table_name')}`;
}

const worlds = 'world_id = any ($1::bigint[])';

const proofs: readonly [Proof, string][] = [
  ['epochs', `select w.id as world_id, format('epoch %s, but the history has %s epochs, from %s to %s', coalesce(e.epoch::text, 'missing'), h.n, h.first, h.last) as text
    from unnest($1::bigint[]) w (id) left join holdpoint.epochs e on e.world_id = w.id
    cross join lateral (select count(distinct x.epoch) as n, coalesce(min(x.epoch), 1) as first, coalesce(max(x.epoch), 0) as last
      from holdpoint.row_history x where x.world_id = w.id) h
    where e.epoch is null or h.n <> e.epoch or h.first <> 1 or h.last <> e.epoch`],
  ['epochs', `select world_id, format('epoch %s was written by %s transactions', epoch, count(distinct xact)) as text
    from holdpoint.row_history where ${worlds} group by world_id, epoch having count(distinct xact) > 1`],
  ['epochs', `select world_id, format('transaction %s has %s epochs', xact, count(distinct epoch)) as text
    from holdpoint.row_history where ${worlds} group by world_id, xact having count(distinct epoch) > 1`],
  ['history', `select world_id, format('the history of %s/%s has a gap before epoch %s', table_name, key, epoch) as text from (
      select h.*, lag(h.new_row) over (partition by h.world_id, h.table_name, h.key order by h.epoch, h.id) as before from holdpoint.row_history h where h.${worlds}) chain
    where ${differs('before', 'old_row', 'table_name')}`],
  ['ledger', `select world_id, format('%s has %s final rows', op_key, n) as text from (select distinct l.world_id, l.op_key,
      (select count(*) from holdpoint.ledger f where f.op_key = l.op_key and f.verdict <> 'rejected') as n from holdpoint.ledger l where l.${worlds}) keys where n > 1`],
  ['ledger', `select l.world_id, format('%s is committed without an effect in the history', l.op_key) as text from holdpoint.ledger l where l.${worlds} and l.verdict = 'committed'
    and not exists (select from holdpoint.row_history h where h.${worlds} and h.world_id = l.world_id and h.xact = l.xact and h.op_key = l.op_key)`],
  // An effect is an agent's if it carries an op key that was asked for or settled, or the name of somebody who proposed in this world. `offset 0` has each
  // op key looked up by itself: without it, a plan may read the requests of all worlds there are.
  ['ledger', `select distinct h.world_id, format('an effect of %s on %s at epoch %s has no ledger row', h.actor, h.table_name, h.epoch) as text
    from holdpoint.row_history h where h.${worlds}
    and ((h.world_id, h.actor) in (select a.world_id, a.proposer from holdpoint.approvals a where a.${worlds})
      or h.op_key is not null and (exists (select from holdpoint.approvals k where k.op_key = h.op_key offset 0)
        or exists (select from holdpoint.ledger f where f.op_key = h.op_key and f.verdict <> 'rejected' offset 0)))
    and not exists (select from holdpoint.ledger l where l.${worlds} and l.world_id = h.world_id and l.xact = h.xact and l.op_key = h.op_key and l.verdict = 'committed')`],
  ['approvals', `select l.world_id, format('%s was committed without an approval in force', l.op_key) as text from holdpoint.ledger l
    left join holdpoint.approvals a on a.op_key = l.op_key and a.digest = l.digest and a.world_id = l.world_id where l.${worlds} and l.verdict = 'committed'
    and not coalesce(a.verdict = 'approve' and a.decided_by = l.approved_by and a.decided_by <> a.proposer and l.locked_at <= a.expires_at and a.decided_at <= l.at
      and encode(sha256(convert_to(a.proposal, 'UTF8')), 'hex') = a.digest, false)`],
  // now() is the transaction's start: a window judged by it would still be open after a long wait for a lock.
  ['approvals', `select l.world_id, format('%s was decided by a clock that was read before its locks were granted', l.op_key) as text from holdpoint.ledger l
    where l.${worlds} and l.verdict = 'committed' and not coalesce(l.started_at < l.locked_at and l.lock_requested_at <= l.locked_at and l.locked_at <= l.at, false)`],
];
