/** Which outcomes a policy is fitted on and which it is tried on (guard-precision: held-out templates, leave-one-fault-out, leave-one-domain-out). */
import { Condition, Domain } from '../../contract/case.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';

type Placed = Pick<EvaluatedOutcome, 'template' | 'domain' | 'condition'>;

/** Positions in the given list. None is in both; together they are all of it. Either may be empty. */
export type Split = { readonly heldOut: string; readonly fit: readonly number[]; readonly test: readonly number[] };

/** The named templates are tried, the others fitted. */
export function holdOutTemplates(outcomes: readonly Placed[], templates: readonly string[]): Split {
  return split(outcomes, templates.join(', '), ({ template }) => templates.includes(template));
}

/** One split for each fault family; the clean condition is none and is always fitted. A family without outcomes has no split. */
export function leaveOneFaultOut(outcomes: readonly Placed[]): readonly Split[] {
  return Condition.options.filter((condition) => condition !== 'clean').map((fault) => split(outcomes, fault, ({ condition }) => condition === fault)).filter(({ test }) => test.length > 0);
}

/** One split for each domain that has outcomes. */
export function leaveOneDomainOut(outcomes: readonly Placed[]): readonly Split[] {
  return Domain.options.map((left) => split(outcomes, left, ({ domain }) => domain === left)).filter(({ test }) => test.length > 0);
}

function split(outcomes: readonly Placed[], heldOut: string, isHeldOut: (outcome: Placed) => boolean): Split {
  const positions = outcomes.map((outcome, position) => ({ position, held: isHeldOut(outcome) }));
  const where = (side: boolean): number[] => positions.flatMap(({ position, held }) => (held === side ? [position] : []));
  return { heldOut, fit: where(false), test: where(true) };
}
