/** Evidence: whether a tool's full predicate holds in worlds right now, without committing anything. */
import type { Clause } from '../../contract/guard.ts';
import type { Arguments } from '../../contract/proposal.ts';
import { argumentProblem } from '../../guards/tool-contract.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { checkFunction } from '../commit/generate-check.ts';
import type { Queryable } from '../pool.ts';

/** What one look at a world shows: each clause of the predicate, and whether every row that it speaks of is there. */
export type Check = { readonly allThere: boolean; readonly clauses: Readonly<Record<Clause, boolean>> };

type Row = { all_there: boolean; status_held: boolean; policy_held: boolean; integrity_held: boolean; not_applied_held: boolean };

/**
 * Looks at all the worlds in one statement, so in one snapshot. The answer is old as soon as it is there: nothing is locked.
 * @returns a check for each world, in their order @throws TypeError where the tool has no contract or does not take such arguments
 */
export async function checkWorlds(db: Queryable, worldIds: readonly string[], { tool, args }: { readonly tool: string; readonly args: Arguments }): Promise<Check[]> {
  const contract = toolContract(tool);
  const problem = contract === undefined ? `there is no tool ${JSON.stringify(tool)}` : argumentProblem(contract, args);
  if (problem !== null) throw new TypeError(`Nothing to check: ${problem}.`);
  const name = checkFunction(tool);
  const { rows } = await db.query<Row>({
    name, values: [worldIds, JSON.stringify(args)],
    text: `select c.* from unnest($1::bigint[]) with ordinality w (id, n), lateral ${name}(w.id, $2::jsonb) c order by w.n`,
  });
  return rows.map((row) => ({ allThere: row.all_there, clauses: { status: row.status_held, policy: row.policy_held, integrity: row.integrity_held, notApplied: row.not_applied_held } }));
}

/** Whether the check speaks for the action: everything is there and every clause holds. */
export function isHeld({ allThere, clauses }: Check): boolean {
  return allThere && Object.values(clauses).every(Boolean);
}
