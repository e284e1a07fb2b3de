/** Turns a tool's contract into a function that shows what its effect would change right now: it is really run, in a subtransaction that is always rolled back. */
import type { ToolContract } from '../../guards/tool-contract.ts';
import { checkFunction } from './generate-check.ts';
import { argumentVariables, identifier, literal, rowVariables, selectRow } from './sql-names.ts';

/** The name of a tool's preview function. @throws TypeError for a name that is not snake case. */
export function previewFunction(tool: string): string {
  return `holdpoint.preview_${identifier(tool)}`;
}

/**
 * The function for a contract, repeatable. With the caller's rights, which are the worker's. It locks in the commit's order, for at most the lock timeout, and holds
 * nothing afterwards: what the block did is undone with its locks. Numbers drawn from sequences stay drawn, and a rolled-back row version waits for vacuum.
 * Call it REPEATABLE READ, so that clauses and change are of one moment. It returns the check and one of `changes`, `busy` and `failed`, or none where a row is gone.
 */
export function previewFunctionSql(contract: ToolContract): string {
  const name = previewFunction(contract.tool);
  return `drop function if exists ${name};
create function ${name}(p_world bigint, p_args jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog set lock_timeout = '300ms' as $preview$
declare
${argumentVariables(contract)}
${rowVariables(contract)}
  v_answer jsonb;
  v_changes jsonb;
begin
  v_answer := jsonb_build_object('check', (select to_jsonb(c) from ${checkFunction(contract.tool)}(p_world, p_args) c));
  if (v_answer #> '{check,all_there}') <> 'true' then
    return v_answer;
  end if;
  begin
${contract.locks.map((row) => `    ${selectRow(row)} for ${row.strength};`).join('\n')}
    perform set_config('holdpoint.actor', 'preview', true), set_config('holdpoint.reason', ${literal(contract.tool)}, true), set_config('holdpoint.op_key', '', true);
${contract.effect.map((statement) => `    ${statement};`).join('\n')}
    -- The history's triggers wait for COMMIT, which never comes: here they tell the old and the new rows at once.
    set constraints all immediate;
    select jsonb_agg(jsonb_build_object('table', h.table_name, 'key', h.key, 'before', h.old_row, 'after', h.new_row,
        -- What a sequence gave is not what the commit will be given.
        'drawn', (select coalesce(jsonb_agg(t.attname), '[]') from pg_attribute t where t.attrelid = h.table_name::regclass and t.attidentity <> '')) order by h.id)
      into v_changes from holdpoint.row_history h where h.world_id = p_world and h.xact = pg_current_xact_id();
    raise exception 'The preview is over' using errcode = 'HP000';
  exception
    when sqlstate 'HP000' then v_answer := v_answer || jsonb_build_object('changes', coalesce(v_changes, '[]'));
    when lock_not_available or deadlock_detected then v_answer := v_answer || '{"busy":true}';
    when integrity_constraint_violation or data_exception then v_answer := v_answer || jsonb_build_object('failed', sqlerrm);
  end;
  return v_answer;
end $preview$;
revoke all on function ${name} from public;
grant execute on function ${name} to holdpoint_worker;
`;
}
