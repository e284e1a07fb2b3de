/** Evidence in words that a proposer can be told: what speaks against a call right now, of everything that a full guard would look at. */
import type { Reason } from '../contract/failures.ts';
import type { Clause } from '../contract/guard.ts';
import type { Arguments } from '../contract/proposal.ts';
import { checkWorlds } from '../database/frozen/check.ts';
import type { Queryable } from '../database/pool.ts';
import { argumentProblem } from '../guards/tool-contract.ts';
import { toolContract } from '../guards/tools/index.ts';

/** A clause that does not hold, as the registry says it. */
const reasons: Readonly<Record<Clause, Reason>> = { status: 'status_violated', policy: 'policy_violated', integrity: 'integrity_violated', notApplied: 'already_applied' };

/** A tool call to look into. */
export type Call = { readonly tool: string; readonly args: Arguments };

/** Looks at a world without locking anything. @returns every reason that speaks against the call; empty where its whole predicate holds */
export async function findingsOn(db: Queryable, worldId: string, { tool, args }: Call): Promise<Reason[]> {
  const contract = toolContract(tool);
  if (contract === undefined) return ['unknown_tool'];
  if (argumentProblem(contract, args) !== null) return ['invalid_arguments'];
  const [check] = await checkWorlds(db, [worldId], { tool, args });
  if (check?.allThere !== true) return ['entity_missing'];
  return (Object.keys(reasons) as Clause[]).filter((clause) => !check.clauses[clause]).map((clause) => reasons[clause]);
}
