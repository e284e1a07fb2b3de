/** The random gate at the agreement gate's budget, for each proposer by itself: worked out from the frozen proposals before anything is replayed. */
import { parseCaseId } from '../../contract/case.ts';
import { costOf, unitCosts, type Controller } from '../../contract/controller.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { randomStream } from '../../contract/random.ts';
import { agreementGate } from '../../guards/controllers/agreement-gate.ts';
import { randomGate } from '../../guards/controllers/random-gate.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';

/**
 * What the agreement gate spends on a proposer's decisions, abstentions included: strong evidence for `bought` of them. The random gate buys it where the draw is
 * below `drawBelow`, which is for as many: all draws are known here, so the two budgets are equal and not only expected to be.
 */
export type Budget = { readonly decisions: number; readonly bought: number; readonly drawBelow: number };

/** The draw of a decision, 0 to 1: it depends on seed, proposer and case alone. */
export function drawOf({ seed, proposer, caseId }: Pick<FrozenProposal, 'seed' | 'proposer' | 'caseId'>): number {
  return randomStream(seed, `${proposer} ${caseId}`, 'controllers').fraction();
}

/** Budgets by proposer, in the order of the proposals; none where there is no random gate. */
export function matchedBudgets(proposals: readonly FrozenProposal[], controllers: readonly Controller[]): Readonly<Record<string, Budget>> {
  if (!controllers.some(({ name }) => name === 'random-gate')) return {};
  const names = [...new Set(proposals.map(({ proposer }) => proposer))];
  return Object.fromEntries(names.map((name) => [name, budgetOf(proposals.filter(({ proposer }) => proposer === name))]));
}

/** The controllers with the random gate at the budget. */
export function withBudget(controllers: readonly Controller[], { drawBelow }: Budget): Controller[] {
  return controllers.map((controller) => (controller.name === 'random-gate' ? randomGate(drawBelow) : controller));
}

function budgetOf(own: readonly FrozenProposal[]): Budget {
  const draws = own.map(drawOf);
  const bought = own.filter(({ caseId, confidence, agreement }, index) => {
    const telemetry = telemetryOf(parseCaseId(caseId).condition);
    return costOf(agreementGate.decide({ telemetry, confidence, agreement, draw: draws[index] ?? 0 })) === unitCosts.strong;
  }).length;
  return { decisions: own.length, bought, drawBelow: draws.sort((a, b) => a - b)[bought] ?? 1 };
}
