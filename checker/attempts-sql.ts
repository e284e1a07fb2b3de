/** The query that judges every attempt of some worlds: one statement, a branch a tool. $1 is the array of world ids. */
import { asked, rowAt, rowsAt } from './as-of.ts';
import { predicates } from './predicates/index.ts';
import type { Predicate } from './predicates/predicate.ts';

// A committed attempt is judged just before its own transaction, by its epoch in the history. A rejected one is judged at `epoch_found`, which is exact:
// the guard read the epoch, and everything it did not lock, in one statement, so in one snapshot, and a snapshot that shows epoch E shows exactly the
// transactions up to E (as-of.ts). The rows of the read set were read at their locks, a little earlier, but nobody can have changed them between the
// lock and that snapshot, and whoever changed them before the lock was granted had committed, so is in the snapshot too.
const attempts = `
  select l.world_id, l.id, l.op_key, l.tool, l.guard, l.without, l.verdict, l.reason, l.versions_read, l.epoch_read, l.xact,
    (extract(epoch from l.locked_at - l.lock_requested_at) * 1000000)::bigint as lock_wait_us,
    array[l.status_held, l.policy_held, l.integrity_held, l.not_applied_held] as recorded, l.started_at,
    greatest(l.at, own.at) as ended_at, own.epoch as own_epoch, case l.verdict when 'committed' then own.epoch - 1 when 'rejected' then l.epoch_found end as upto,
    said.body -> 'arguments' as args, said.body -> 'readSet' as read_set
  from holdpoint.ledger l
  left join lateral (select min(h.epoch) as epoch, max(h.at) as at from holdpoint.row_history h where h.world_id = l.world_id and h.xact = l.xact) own on true
  left join lateral (select a.proposal::jsonb as body from (select x.proposal, x.digest from holdpoint.approvals x where x.op_key = l.op_key offset 0) a
    where a.digest = l.digest and encode(sha256(convert_to(a.proposal, 'UTF8')), 'hex') = a.digest) said on true
  where l.world_id = any ($1::bigint[])`;

const versionsThen = `(select array_agg((${rowAt("x.e ->> 'table'", "x.e ->> 'key'")} ->> 'version')::bigint order by x.n)
    from jsonb_array_elements(q.read_set) with ordinality x (e, n))`;

/** All attempts of the worlds, each with what the history says of it. `materialized`, so that no plan works the branches out anew for every attempt. */
export const attemptsSql = `
with q as materialized (${attempts}),
judged as materialized (${predicates.map(branch).join('\n  union all ')})
select q.world_id, q.id, q.op_key, q.tool, q.guard, q.without, q.verdict, q.reason, q.lock_wait_us, q.own_epoch, q.recorded, q.xact,
  q.upto is not null and judged.id is not null and q.args is not null as judgeable,
  array[coalesce(judged.status, false), coalesce(judged.policy, false), coalesce(judged.integrity, false), coalesce(judged.not_applied, false)] as held,
  judged.side_effects, judged.repeated, judged.as_proposed,
  ${versionsThen} is not distinct from q.versions_read as versions_match,
  q.upto is not distinct from q.epoch_read as epoch_matches,
  exists (select from holdpoint.row_history h where h.world_id = q.world_id and h.xact <> q.xact and h.started_at <= q.ended_at and h.at >= q.started_at) as overlapped
from q left join judged on judged.world_id = q.world_id and judged.id = q.id
order by q.world_id, q.id`;

// `offset 0` keeps the planner from working a subject out anew at every mention.
// Side effects of the op key count in every transaction that carries it; a repetition is a row of this transaction that does what a row before it did.
function branch(predicate: Predicate): string {
  const { subjects, sideEffectTable, sameEffect } = predicate;
  const inserted = `holdpoint.row_history s where s.world_id = ${asked.world} and s.table_name = '${sideEffectTable}' and s.old_row is null`;
  return `select q.world_id, q.id, ${predicate.status} as status, ${predicate.policy} as policy, ${predicate.integrity} as integrity, ${predicate.notApplied} as not_applied,
    (select count(*)::int from ${inserted} and s.op_key = q.op_key) as side_effects,
    (select (count(*) - count(distinct mine.effect) filter (where mine.effect not in
        (select ${sameEffect} from ${rowsAt(`'${sideEffectTable}'`)} earlier where ${sameEffect} is not null)))::int
      from (select ${sameEffect} as effect from (select s.new_row as r from ${inserted} and s.xact = q.xact) own_rows) mine where mine.effect is not null) as repeated,
    (select coalesce(bool_and(${sameEffect} is not distinct from ${predicate.wantedEffect}), false) from (select s.new_row as r from ${inserted} and s.xact = q.xact) own_rows) as as_proposed
  from q${Object.entries(subjects).map(([name, sql]) => `\n    left join lateral (select ${sql} as ${name} offset 0) the_${name} on true`).join('')}
  where q.tool = '${predicate.tool}'`;
}
