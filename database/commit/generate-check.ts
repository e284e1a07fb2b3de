/** Turns a tool's contract into a static SQL function that looks whether its predicate holds: evidence that can be bought before a commit, from the commit's own clauses. */
import type { ToolContract } from '../../guards/tool-contract.ts';
import { argumentVariables, identifier, rowVariables, selectRow } from './sql-names.ts';

/** The name of a tool's check function. @throws TypeError for a name that is not snake case. */
export function checkFunction(tool: string): string {
  return `holdpoint.check_${identifier(tool)}`;
}

/**
 * The function for a contract, repeatable. It locks and writes nothing; `stable`, so that everything is read in the caller's one snapshot. Whatever is not true is
 * false, as in the commit. With the caller's rights: it only reads. Its columns are named as the ledger's, because a clause may have a row named `policy`.
 */
export function checkFunctionSql(contract: ToolContract): string {
  const name = checkFunction(contract.tool);
  const { clauses } = contract;
  return `drop function if exists ${name};
create function ${name}(p_world bigint, p_args jsonb,
  out all_there boolean, out status_held boolean, out policy_held boolean, out integrity_held boolean, out not_applied_held boolean)
language plpgsql stable set search_path = pg_catalog as $check$
declare
${argumentVariables(contract)}
${rowVariables(contract)}
begin
  all_there := true;
${contract.locks.map((row) => `  ${selectRow(row)};\n  all_there := all_there and found;`).join('\n')}
  select (${clauses.status}) is true,
    (${clauses.policy}) is true,
    (${clauses.integrity}) is true,
    (${clauses.notApplied}) is true
  into status_held, policy_held, integrity_held, not_applied_held;
end $check$;
revoke all on function ${name} from public;
grant execute on function ${name} to holdpoint_worker;
`;
}
