/** The functions that take a commit back and that show it beforehand. One pair for all tools: what to restore is in the row history; the contracts only say what can be restored. */
import { rollbackTool } from '../../contract/names.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { approvalCases, approvalVariables, commitParameters, takeDecision } from './approval-sql.ts';
import { commitFunction } from './generate.ts';
import { previewFunction } from './generate-preview.ts';
import { identifier, literal } from './sql-names.ts';

/** The commit that a rollback is about, and what it wrote. Its final row and its history do not change, so neither needs a lock. */
const variables = `  v_target text := p_args ->> 'opKey';
  v_done holdpoint.ledger; policy holdpoint.policies;
  v_all_there boolean; v_status boolean; v_integrity boolean; v_not_applied boolean; v_versions_found bigint[]; v_diverged text[]; v_epoch_found bigint;`;

/** Locks, sorted by (table, key), what the commit wrote, with the policy that says who decides. */
const lock = `select * into v_done from holdpoint.ledger l where l.world_id = p_world and l.op_key = v_target and l.verdict = 'committed';
  select w.versions, w.diverged into v_versions_found, v_diverged from holdpoint.lock_written(p_world, v_target, v_done.tool) w;`;

/** The clauses, in a statement after the last lock. Whether the tool is still allowed does not matter: taking back is not acting. */
const clauses = (contracts: readonly ToolContract[]): string => `select * into policy from holdpoint.policies p where p.world_id = p_world and p.tool = v_done.tool;
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

/** The commit function of rollbacks, repeatable; parameters, answer and rules of approval are those of every commit (generate.ts). Its guard is always the whole predicate. */
export function commitRollbackSql(contracts: readonly ToolContract[]): string {
  const name = commitFunction(rollbackTool);
  return `drop function if exists ${name};
create function ${name}(
${commitParameters}
returns text language plpgsql volatile security definer set search_path = pg_catalog as $commit$
declare
${variables}
  v_ledger_id bigint; v_reason text; v_asked_tool text;
${approvalVariables}begin
${takeDecision}  -- 1. Lock.
  v_requested := clock_timestamp();
  ${lock}
  -- LINEARIZATION POINT: the last lock is granted.
  v_locked := clock_timestamp();

  -- 2. Evaluate, in later statements: nothing that they depend on can change before COMMIT.
  ${clauses(contracts)}
  select a.digest, a.verdict, a.decided_by, a.decided_at, a.proposer, a.expires_at, a.via, a.assigned_to, a.decision_ids, a.tool, s.verdict, s.digest = p_digest and s.world_id = p_world, s.id
  into v_approved_digest, v_approved, v_approver, v_approved_at, v_proposer, v_expires_at, v_via, v_assigned_to, v_decision_ids, v_asked_tool, v_settled, v_settled_alike, v_ledger_id
  from (select) as always left join holdpoint.approvals a on a.op_key = p_op_key and a.world_id = p_world
    left join holdpoint.ledger s on s.op_key = p_op_key and s.verdict <> 'rejected';
  if v_settled = 'committed' and v_settled_alike then
    return '{"outcome":"replayed","ledgerId":"' || v_ledger_id || '"}';
  end if;
  v_reason := case
${approvalCases}    when v_done.tool is distinct from v_asked_tool then 'invalid_arguments'
    when not v_not_applied then 'already_applied'
    when not v_integrity then 'irreversible_effect'
    when not v_status then 'state_diverged'
  end;

  -- 3. Restore and record: they stand or fall together, and the indexes of the ledger keep both keys single.
  if v_reason is null then
    perform set_config('holdpoint.actor', v_proposer, true), set_config('holdpoint.reason', ${literal(rollbackTool)}, true), set_config('holdpoint.op_key', p_op_key, true);
    perform holdpoint.restore_written(p_world, v_target);
  end if;
  insert into holdpoint.ledger (world_id, op_key, digest, tool, guard, verdict, reason, attempt, versions_read, versions_found, epoch_read, epoch_found,
    status_held, policy_held, integrity_held, not_applied_held, state_found, approved_by, approved_at, lock_requested_at, locked_at, rolls_back)
  values (p_world, p_op_key, p_digest, ${literal(rollbackTool)}, 'predicate', case when v_reason is null then 'committed' else 'rejected' end::holdpoint.ledger_verdict, v_reason, p_attempt, p_versions, v_versions_found, p_epoch, v_epoch_found,
    v_status, true, v_integrity, v_not_applied, case when v_reason is not null then jsonb_build_object('diverged', v_diverged) end, v_approver, v_approved_at, v_requested, v_locked, v_target)
  returning id into v_ledger_id;
  if v_reason is null then
    return '{"outcome":"committed","ledgerId":"' || v_ledger_id || '"}';
  end if;
  return jsonb_build_object('outcome', 'rejected', 'reason', v_reason, 'epochFound', v_epoch_found::text, 'versionsFound', v_versions_found::text[], 'stateFound', jsonb_build_object('diverged', v_diverged))::text;
end $commit$;
revoke all on function ${name} from public;
grant execute on function ${name} to holdpoint_worker;
`;
}

/** The preview of rollbacks, repeatable: answers as those of the tools do (generate-preview.ts), and `refusal` where a commit would refuse now. A definer's function, because the worker deletes nothing itself. */
export function previewRollbackSql(contracts: readonly ToolContract[]): string {
  const name = previewFunction(rollbackTool);
  return `drop function if exists ${name};
create function ${name}(p_world bigint, p_args jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog as $preview$
declare
${variables}
  v_answer jsonb; v_refusal text; v_changes jsonb;
begin
  begin
    perform set_config('lock_timeout', '300ms', true); -- undone with the block
    ${lock}
    ${clauses(contracts)}
    v_answer := jsonb_build_object('check', jsonb_build_object('all_there', v_all_there, 'status_held', v_status, 'policy_held', true, 'integrity_held', v_integrity, 'not_applied_held', v_not_applied));
    v_refusal := case when v_done.id is null then 'entity_missing' when not v_not_applied then 'already_applied' when not v_integrity then 'irreversible_effect' when not v_status then 'state_diverged' end;
    if v_refusal is null then
      perform set_config('holdpoint.actor', 'preview', true), set_config('holdpoint.reason', ${literal(rollbackTool)}, true), set_config('holdpoint.op_key', '', true);
      perform holdpoint.restore_written(p_world, v_target);
      set constraints all immediate;
      select jsonb_agg(jsonb_build_object('table', h.table_name, 'key', h.key, 'before', h.old_row, 'after', h.new_row, 'drawn', jsonb_build_array()) order by h.id)
        into v_changes from holdpoint.row_history h where h.world_id = p_world and h.xact = pg_current_xact_id();
    end if;
    raise exception 'The preview is over' using errcode = 'HP000';
  exception
    when sqlstate 'HP000' then
      v_answer := v_answer || case when v_refusal is null then jsonb_build_object('changes', coalesce(v_changes, '[]'))
        else jsonb_build_object('refusal', v_refusal, 'failed', case when v_diverged = '{}' then v_refusal else array_to_string(v_diverged, ', ') || ' changed since the commit' end) end;
    when lock_not_available or deadlock_detected then v_answer := '{"busy":true}';
    when integrity_constraint_violation or data_exception then v_answer := coalesce(v_answer, '{}') || jsonb_build_object('failed', sqlerrm);
  end;
  return v_answer;
end $preview$;
revoke all on function ${name} from public;
grant execute on function ${name} to holdpoint_worker;
`;
}
