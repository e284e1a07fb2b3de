/** Which decisions of an evaluation the replanning layer takes. */
import { parseCaseId } from '../../../contract/case.ts';
import { replanTemplates } from '../../../scenarios/design.ts';
import type { Choice, PlannedDecision } from '../plan.ts';

/** Those of the layer's templates, under the first of the seeds, in the evaluation's order. */
export function replannedDecisions<T extends PlannedDecision>(decisions: readonly T[], { seeds }: Pick<Choice, 'seeds'>): T[] {
  return decisions.filter(({ caseId, seed }) => seed === seeds[0] && replanTemplates.includes(parseCaseId(caseId).template));
}
