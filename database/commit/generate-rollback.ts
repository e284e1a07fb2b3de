/** The function that takes a commit back. One for all tools: what to restore is in the row history; the contracts only say what can be restored. */
import { rollbackTool } from '../../contract/names.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { approvalCases, approvalVariables, commitParameters, takeDecision } from './approval-sql.ts';
import { commitFunction } from './generate.ts';
import { rollbackClauses, rollbackLock, rollbackVariables } from './rollback-sql.ts';
import { literal } from './sql-names.ts';

/** The commit function of rollbacks, repeatable; parameters, answer and rules of approval are those of every commit (generate.ts). Its guard is always the whole predicate. */
export function commitRollbackSql(contracts: readonly ToolContract[]): string {
  const name = commitFunction(rollbackTool);
  return `drop function if exists ${name};
create function ${name}(
${commitParameters}
returns text language plpgsql volatile security definer set search_path = pg_catalog as $commit$
declare
${rollbackVariables}
  v_ledger_id bigint; v_reason text; v_asked_tool text;
${approvalVariables}begin
${takeDecision}  -- 1. Lock.
  v_requested := clock_timestamp();
  ${rollbackLock}
  -- LINEARIZATION POINT: the last lock is granted.
  v_locked := clock_timestamp();

  -- 2. Evaluate, in later statements: nothing that they depend on can change before COMMIT.
  ${rollbackClauses(contracts)}
  select a.digest, a.verdict, a.decided_by, a.decided_at, a.proposer, a.expires_at, a.via, a.decision_ids, a.tool, s.verdict, s.digest = p_digest and s.world_id = p_world, s.id
  into v_approved_digest, v_approved, v_approver, v_approved_at, v_proposer, v_expires_at, v_via, v_decision_ids, v_asked_tool, v_settled, v_settled_alike, v_ledger_id
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
