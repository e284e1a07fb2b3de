/** What is true of a leak, for grading only: the scenario's hidden truth, where the call was the scenario's own. The explaining code never sees it. */
import { parseCaseId } from '../../contract/case.ts';
import { canonicalText, type Json } from '../../contract/digest.ts';
import type { EpisodeFacts } from '../../contract/episode-facts.ts';
import type { Clause } from '../../contract/guard.ts';
import { familyOf } from '../../explain/family.ts';
import type { Graded } from '../../explain/grade.ts';
import { hazardOf } from '../../scenarios/hazard.ts';
import { planOf, UnknownCaseError } from '../../scenarios/plan.ts';

/** A call with other arguments than the case's is wrong in its own way: of that only the checker can tell the truth. */
export function truthOfLeak(facts: EpisodeFacts, leak: { readonly opKey: string; readonly failedClauses: readonly Clause[]; readonly duplicates: number }): Pick<Graded, 'truth' | 'from'> {
  const hazard = isOwnCall(facts, leak.opKey) ? hazardOf(parseCaseId(facts.caseId)) : null;
  if (hazard !== null) return { truth: hazard, from: 'scenario' };
  return { truth: { family: familyOf(leak.failedClauses, leak.duplicates), clauses: leak.failedClauses }, from: 'checker' };
}

function isOwnCall({ caseId, proposed }: EpisodeFacts, opKey: string): boolean {
  const args = proposed[opKey];
  try {
    return args !== undefined && canonicalText(args as Json) === canonicalText(planOf(caseId).arguments);
  } catch (error) {
    if (error instanceof UnknownCaseError) return false;
    throw error;
  }
}
