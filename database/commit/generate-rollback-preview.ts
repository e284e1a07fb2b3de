/** The function that shows what taking a commit back would change right now: it is really done, in a subtransaction that is always rolled back. */
import { rollbackTool } from '../../contract/names.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { previewFunction } from './generate-preview.ts';
import { rollbackClauses, rollbackLock, rollbackVariables } from './rollback-sql.ts';
import { literal } from './sql-names.ts';

/** The preview of rollbacks, repeatable: answers as those of the tools do (generate-preview.ts), and `refusal` where a commit would refuse now. A definer's function, because the worker deletes nothing itself. */
export function previewRollbackSql(contracts: readonly ToolContract[]): string {
  const name = previewFunction(rollbackTool);
  return `drop function if exists ${name};
create function ${name}(p_world bigint, p_args jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog as $preview$
declare
${rollbackVariables}
  v_answer jsonb; v_refusal text; v_changes jsonb;
begin
  begin
    perform set_config('lock_timeout', '300ms', true); -- undone with the block
    ${rollbackLock}
    ${rollbackClauses(contracts)}
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
