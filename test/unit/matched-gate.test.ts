/** The random gate's budget is the agreement gate's own, for each proposer. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readyDecision } from '../../cli/evaluate/acts.ts';
import { drawOf, matchedBudgets, withBudget } from '../../cli/evaluate/matched-gate.ts';
import { plannedRuns } from '../../cli/evaluate/plan.ts';
import { caseId } from '../../contract/case.ts';
import type { ControllerName } from '../../contract/controller.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { designCells, designs } from '../../scenarios/design.ts';

const cases = designCells(designs.pilot).map(caseId);
/** Abstentions, because a budget does not depend on what was proposed. */
const proposalsOf = (proposer: string, agreements: readonly (number | null)[]): FrozenProposal[] =>
  cases.map((id, index) => ({ caseId: id, proposer, digest: null, seed: 13, confidence: null, agreement: agreements[index] ?? null, answer: 'abstain' }));

function spent(proposals: readonly FrozenProposal[], name: ControllerName): number {
  const budgets = matchedBudgets(proposals, controllers);
  return proposals.reduce((sum, proposal) => {
    const budget = budgets[proposal.proposer];
    const runs = plannedRuns(budget === undefined ? controllers : withBudget(controllers, budget), 'canonical');
    return sum + (readyDecision(proposal, runs).acts.find(({ known }) => known.controller === name)?.known.cost ?? Number.NaN);
  }, 0);
}

test('both gates spend the same, whatever the proposer agrees with itself about', () => {
  const agreement = fc.array(fc.constantFrom(null, 0, 0.6, 1), { minLength: cases.length, maxLength: cases.length });
  fc.assert(fc.property(agreement, (agreements) => {
    const proposals = proposalsOf('a-model', agreements);
    expect(spent(proposals, 'random-gate')).toBe(spent(proposals, 'agreement-gate'));
  }), { numRuns: 20 });
});

test('each proposer has a budget of its own, and one that decodes once buys always', () => {
  const half = proposalsOf('half', cases.map((_, index) => index % 2));
  const budgets = matchedBudgets([...proposalsOf('once', []), ...half, ...proposalsOf('sure', cases.map(() => 1))], controllers);
  expect(budgets['once']).toEqual({ decisions: 48, bought: 48, drawBelow: 1 });
  expect(budgets['half']).toMatchObject({ decisions: 48, bought: 24 });
  expect(budgets['sure']).toEqual({ decisions: 48, bought: 0, drawBelow: Math.min(...proposalsOf('sure', []).map(drawOf)) });
});

test('the order of proposals does not matter, and without a random gate there is no budget', () => {
  const proposals = proposalsOf('a-model', cases.map((_, index) => index % 3));
  expect(matchedBudgets([...proposals].reverse(), controllers)).toEqual(matchedBudgets(proposals, controllers));
  expect(matchedBudgets(proposals, controllers.filter(({ name }) => name !== 'random-gate'))).toEqual({});
});
