/** What the judge asks of a rollback, over the row history alone and without looking at the commit's own functions. A branch of attempts-sql.ts. */
import { asked, rowAt } from './as-of.ts';

/** Tools whose effect is rows and nothing else. What the others do leaves the database: money, mail, badges, rollouts. */
const undoable = ['change_delivery_address', 'release_for_packing', 'record_invoice', 'issue_credit_note', 'grant_role', 'unlock_account', 'scale_service'];

/** What the commit that is taken back wrote: each row as it was before and as it was left. */
const wrote = `(select h.table_name, h.key, (array_agg(h.old_row order by h.id))[1] as before, (array_agg(h.new_row order by h.id desc))[1] as after
    from holdpoint.row_history h where h.world_id = q.world_id and h.xact = undone.xact group by h.table_name, h.key)`;

/** The row after the rollback's own transaction. */
const restored = rowAt('w.table_name', 'w.key', { world: asked.world, upto: 'q.own_epoch' });

/**
 * The attempts of the tool `rollback`. `status`: every row is what the commit left; `integrity`: there is such a commit, and its effect is rows; `notApplied`: nobody took
 * it back before; `policy` asks nothing. `as_proposed`: afterwards every such row has its earlier columns under a later version, or is gone, and no other row was written.
 */
export const rollbackBranch = `select q.world_id, q.id,
    (select count(*) > 0 and bool_and(${rowAt('w.table_name', 'w.key')} is not distinct from w.after) from ${wrote} w) as status,
    true as policy,
    undone.tool = any ('{${undoable.join(',')}}') as integrity,
    not exists (select from holdpoint.ledger r where r.world_id = q.world_id and r.rolls_back = q.args ->> 'opKey' and r.verdict = 'committed' and r.id <> q.id
      and (select min(h.epoch) from holdpoint.row_history h where h.world_id = r.world_id and h.xact = r.xact) <= ${asked.upto}) as not_applied,
    1 + (select count(*)::int from holdpoint.row_history s where s.world_id = q.world_id and s.op_key = q.op_key and s.old_row is null) as side_effects,
    0 as repeated,
    q.rolls_back is not distinct from q.args ->> 'opKey'
      and (select coalesce(bool_and(case when w.before is null then ${restored} is null
        else (${restored} ->> 'version')::bigint > (w.after ->> 'version')::bigint
          and not exists (select from jsonb_each(w.before - 'version') c where ${restored} -> c.key is distinct from c.value) end), false) from ${wrote} w)
      and not exists (select from holdpoint.row_history s where s.world_id = q.world_id and s.xact = q.xact
        and not exists (select from ${wrote} w where w.table_name = s.table_name and w.key = s.key)) as as_proposed
  from q left join lateral (select t.xact, t.tool from holdpoint.ledger t where t.world_id = q.world_id and t.op_key = q.args ->> 'opKey' and t.verdict = 'committed') undone on true
  where q.tool = 'rollback'`;
