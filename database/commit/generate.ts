/** Turns a tool's contract into the one static SQL function that commits it: decide, lock, evaluate, apply, record. */
import { Clause } from '../../contract/guard.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { approvalCases, approvalVariables, commitParameters, takeDecision } from './approval-sql.ts';
import { argumentVariables, identifier, literal, rowVariables, selectRow } from './sql-names.ts';

/** The name of a tool's commit function. @throws TypeError for a name that is not snake case. */
export function commitFunction(tool: string): string {
  return `holdpoint.commit_${identifier(tool)}`;
}

/**
 * `create or replace function` for a contract. Static statements, because looking clauses up or running them by EXECUTE costs a third of the throughput.
 * Contracts are the project's own code; only names and literals are checked here, and no model text ever reaches this file.
 */
export function commitFunctionSql(contract: ToolContract): string {
  const name = commitFunction(contract.tool);
  return [head(contract), 'begin\n', lock(contract), evaluate(contract), applyAndRecord(contract), 'end $commit$;\n', rights(name)].join('');
}

/** Name, parameters, results and variables. */
function head(contract: ToolContract): string {
  return `drop function if exists ${commitFunction(contract.tool)};
create function ${commitFunction(contract.tool)}(
${commitParameters}
returns text language plpgsql volatile security definer set search_path = pg_catalog as $commit$
declare
${argumentVariables(contract)}
${rowVariables(contract)}
  v_outcome holdpoint.ledger_verdict; v_ledger_id bigint; v_reason text; v_clause text; v_versions_found bigint[]; v_epoch_found bigint; v_state_found jsonb;
  v_all_there boolean := true;
  v_status boolean; v_policy boolean; v_integrity boolean; v_not_applied boolean;
${approvalVariables}`;
}

/** Step 1: the decision, where it came along, and every row that the outcome depends on. */
function lock(contract: ToolContract): string {
  return `${takeDecision}  -- 1. Lock every row the decision depends on, in the project's one order, in the strongest mode it will need. What a lock statement returns is the
  --    locked row as it is after the wait; anything else it looked at would be the past, so nothing else is looked at here.
  v_requested := clock_timestamp();
${contract.locks.map((row) => `  ${selectRow(row)} for ${row.strength};\n  v_all_there := v_all_there and found;`).join('\n')}
  if p_guard = 'epoch' then
    perform 1 from holdpoint.epochs e where e.world_id = p_world for no key update;
  end if;
  -- LINEARIZATION POINT: the last lock is granted. What the next statement reads cannot change before COMMIT.
  v_locked := clock_timestamp();

`;
}

/** Step 2: whether the op key is settled, every clause, the approval and the one reason. */
function evaluate(contract: ToolContract): string {
  return `  -- 2. Evaluate, in a later statement with a snapshot of its own: every clause, also those not asked, and the op key's final row. Attempts with one op key
  --    and one digest want the same rows, so whoever waited for the other's locks finds its final row here.
  select ${contract.clauses.status},
    ${contract.clauses.policy},
    ${contract.clauses.integrity},
    ${contract.clauses.notApplied},
    (select e.epoch from holdpoint.epochs e where e.world_id = p_world), a.digest, a.verdict, a.decided_by, a.decided_at, a.proposer, a.expires_at,
    a.via, a.decision_ids, s.verdict, s.digest = p_digest and s.world_id = p_world, s.id
  into v_status, v_policy, v_integrity, v_not_applied, v_epoch_found, v_approved_digest, v_approved, v_approver, v_approved_at, v_proposer, v_expires_at,
    v_via, v_decision_ids, v_settled, v_settled_alike, v_ledger_id
  from (select) as always left join holdpoint.approvals a on a.op_key = p_op_key and a.world_id = p_world
    left join holdpoint.ledger s on s.op_key = p_op_key and s.verdict <> 'rejected';
  if v_settled = 'committed' and v_settled_alike then
    return '{"outcome":"replayed","ledgerId":"' || v_ledger_id || '"}';
  end if;
  v_versions_found := array[${contract.locks.map((row) => `${identifier(row.name)}.version`).join(', ')}];

  -- The approval first: this digest, in force by the clock read after the last lock, by somebody allowed, not the proposer. Then the guard.
  -- Whatever is not true is false: a clause that comes out null refuses.
  v_reason := case
${approvalCases}    when p_guard = 'epoch' and v_epoch_found is distinct from p_epoch then 'epoch_moved'
    when p_guard = 'version' and v_versions_found is distinct from p_versions then 'read_set_stale'
    when p_guard <> 'predicate' then null
    when v_not_applied is not true and ('notApplied' = any (p_without)) is not true then 'already_applied'
    when v_status is not true and ('status' = any (p_without)) is not true then 'status_violated'
    when v_policy is not true and ('policy' = any (p_without)) is not true then 'policy_violated'
    when v_integrity is not true and ('integrity' = any (p_without)) is not true then 'integrity_violated'
  end;
  v_clause := case v_reason when 'already_applied' then 'notApplied' when 'status_violated' then 'status' when 'policy_violated' then 'policy'
    when 'integrity_violated' then 'integrity' end;

`;
}

/** Step 3: the effect and the ledger row, or the ledger row alone. */
function applyAndRecord(contract: ToolContract): string {
  return `  -- 3. Apply and record: effect and record stand or fall together. The final row claims the op key: should another transaction have settled it since the
  --    evaluation, the ledger's unique index ends this one, and its rerun finds the other's row.
  if v_reason is null then
    v_outcome := 'committed';
    -- Assignments, because plpgsql evaluates them without a statement's overhead.
    v_clause := set_config('holdpoint.actor', v_proposer, true);
    v_clause := set_config('holdpoint.reason', ${literal(contract.tool)}, true);
    v_clause := set_config('holdpoint.op_key', p_op_key, true);
${contract.effect.map((statement) => `    ${statement};`).join('\n')}
  else
    v_outcome := 'rejected';
    v_state_found := jsonb_build_object(${contract.locks.map((row) => `${literal(row.name)}, to_jsonb(${identifier(row.name)}) - 'world_id'`).join(', ')});
  end if;
  insert into holdpoint.ledger (world_id, op_key, digest, tool, guard, without, verdict, reason, attempt, versions_read, versions_found, epoch_read, epoch_found,
    status_held, policy_held, integrity_held, not_applied_held, state_found, approved_by, approved_at, lock_requested_at, locked_at)
  values (p_world, p_op_key, p_digest, ${literal(contract.tool)}, p_guard::holdpoint.guard_kind, p_without, v_outcome, v_reason, p_attempt, p_versions, v_versions_found, p_epoch, v_epoch_found,
    v_status, v_policy, v_integrity, v_not_applied, v_state_found, v_approver, v_approved_at, v_requested, v_locked)
  returning id into v_ledger_id;
  if v_reason is null then
    return '{"outcome":"committed","ledgerId":"' || v_ledger_id || '"}';
  end if;
  return jsonb_build_object('outcome', 'rejected', 'reason', v_reason, 'clause', v_clause, 'versionsFound', v_versions_found::text[], 'epochFound', v_epoch_found::text,
    'stateFound', v_state_found)::text;
`;
}

/** Only the worker may commit. */
function rights(name: string): string {
  return `revoke all on function ${name} from public;
grant execute on function ${name} to holdpoint_worker;
`;
}

/** Contract errors that would show only at run time: a missing clause, an unsorted lock order, an effect that does not start with the entity. Empty where sound. */
export function contractProblems(contract: ToolContract): string[] {
  const tables = contract.locks.map((row) => row.table);
  const entity = contract.locks.find((row) => row.name === contract.entity);
  return [
    ...Clause.options.filter((clause) => contract.clauses[clause].trim() === '').map((clause) => `${contract.tool}: the clause ${clause} is empty`),
    ...(tables.join() === [...tables].sort().join() ? [] : [`${contract.tool}: locks are not sorted by table`]),
    ...(entity?.strength === 'no key update' ? [] : [`${contract.tool}: the entity is not locked for its update`]),
    ...(entity !== undefined && contract.effect[0]?.includes(`update ${entity.table} `) === true ? [] : [`${contract.tool}: the effect does not start with the entity`]),
  ];
}
