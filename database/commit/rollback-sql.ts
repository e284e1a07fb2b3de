/** What the commit of a rollback and its preview have in common, as SQL that stands in both: the same locks and the same clauses. */
import type { ToolContract } from '../../guards/tool-contract.ts';
import { identifier, literal } from './sql-names.ts';

/** The commit that a rollback is about, and what it wrote. Its final row and its history do not change, so neither needs a lock. */
export const rollbackVariables = `  v_target text := p_args ->> 'opKey';
  v_done holdpoint.ledger; policy holdpoint.policies;
  v_all_there boolean; v_status boolean; v_integrity boolean; v_not_applied boolean; v_versions_found bigint[]; v_diverged text[]; v_epoch_found bigint;`;

/** Locks, sorted by (table, key), what the commit wrote, with the policy that says who decides. */
export const rollbackLock = `select * into v_done from holdpoint.ledger l where l.world_id = p_world and l.op_key = v_target and l.verdict = 'committed';
  select w.versions, w.diverged into v_versions_found, v_diverged from holdpoint.lock_written(p_world, v_target, v_done.tool) w;`;

/** The clauses, in a statement after the last lock. Whether the tool is still allowed does not matter: taking back is not acting. */
export const rollbackClauses = (contracts: readonly ToolContract[]): string => `select * into policy from holdpoint.policies p where p.world_id = p_world and p.tool = v_done.tool;
  v_all_there := found;
  v_status := v_diverged = '{}' and v_versions_found <> '{}';
  v_integrity := coalesce(v_done.tool = any (array[${contracts.filter((contract) => contract.irreversible === undefined).map((contract) => literal(contract.tool)).join(', ')}]), false)
    and not exists (select from holdpoint.written_by(p_world, v_target) w where w.left_as is null or w.was is null and w.table_name <> all (array[${tables(contracts)}]));
  select not exists (select from holdpoint.ledger r where r.rolls_back = v_target and r.verdict = 'committed'),
    (select e.epoch from holdpoint.epochs e where e.world_id = p_world)
  into v_not_applied, v_epoch_found;`;

/** Where a row that a commit inserted may be deleted again. */
function tables(contracts: readonly ToolContract[]): string {
  const names = contracts.filter((contract) => contract.irreversible === undefined).map((contract) => contract.sideEffectTable);
  return [...new Set(names)].map((name) => `'${name.split('.').map(identifier).join('.')}'`).join(', ');
}
