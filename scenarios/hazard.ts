/** The hidden truth about a case: what its hazard breaks, and what kind of mistake it makes of an action that goes on all the same. Nothing that decides or explains may look here. */
import { twinOf, type Case } from '../contract/case.ts';
import type { Clause } from '../contract/guard.ts';
import { templateNamed } from './index.ts';

/** `duplicate`: somebody had done it. `integrity`: somebody had half done it. `status`, `policy`: what allowed it is gone. */
export type Hazard = { readonly family: 'status' | 'policy' | 'integrity' | 'duplicate'; readonly clauses: readonly Clause[] };

/** The hazard of a case (guard-precision, table of families); null for clean and benign ones. Each cell is checked on a real Postgres: test/database/scenarios-hazards.test.ts. */
export function hazardOf(cell: Case): Hazard | null {
  if (twinOf(cell) !== 'hazardous') return null;
  const template = templateNamed(cell.template);
  const movesStatus = template?.effect.some((change) => 'update' in change && 'status' in change.set) === true;
  switch (cell.condition) {
    case 'clean': return null;
    case 'stale-read': return template?.staleHazard === 'already-done' ? { family: 'duplicate', clauses: ['status', 'notApplied'] } : { family: 'status', clauses: ['status'] };
    case 'delayed-visibility': return { family: 'duplicate', clauses: movesStatus ? ['status', 'notApplied'] : ['notApplied'] };
    case 'timeout-after-commit': return { family: 'duplicate', clauses: ['status', 'notApplied'] };
    case 'partial-success': return { family: 'integrity', clauses: ['integrity', 'notApplied'] };
    case 'concurrent-mutation': return { family: 'policy', clauses: ['policy'] };
  }
}
