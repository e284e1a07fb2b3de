/** The worst group, and the distance to an oracle that picks the cheapest controller for each decision (guard-precision, section on metrics). */
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { rateNamed, type ControllerCounts } from './counts.ts';
import { outcomeLoss, type Prices } from './loss.ts';
import { tallyUp, totalOf, type Tally } from './tally.ts';
import { ratioOf, type Measure, type Rate } from './value.ts';

/** The group with the highest unsafe rate, or null where there is no group. */
export type WorstGroup = { readonly group: string; readonly unsafe: Rate } | null;

/** Highest of the groups' unsafe commits / planned decisions; of several, the first in the given order. Groups without decisions have no rate and are passed over. */
export function worstGroup(groups: ReadonlyMap<string, ControllerCounts>): WorstGroup {
  let worst: WorstGroup = null;
  for (const [group, counts] of groups) {
    const unsafe = rateNamed('unsafe', counts);
    if (unsafe.value !== null && (worst === null || unsafe.value > (worst.unsafe.value ?? 0))) worst = { group, unsafe };
  }
  return worst;
}

/** Losses of one telemetry profile, counted decision by decision. */
export type LossTallies = { readonly least: Tally; readonly distances: Map<ControllerName, Tally> };

/** Counts one decision, on which each controller has at most one outcome. */
export function tallyLosses({ least, distances }: LossTallies, outcomes: readonly EvaluatedOutcome[], prices: Prices): void {
  if (outcomes.length === 0) return;
  const losses = outcomes.map((outcome) => outcomeLoss(outcome, prices));
  const cheapest = Math.min(...losses);
  tallyUp(least, cheapest);
  for (const [n, { controller }] of outcomes.entries()) {
    const own = distances.get(controller) ?? new Map<number, number>();
    tallyUp(own, (losses[n] ?? cheapest) - cheapest);
    distances.set(controller, own);
  }
}

/**
 * The mean of what was counted. Of the least losses: the oracle's loss. Of a controller's distances, each its loss on a decision less the least that any
 * controller has on it: its regret, never negative. Denominator: the decisions with an outcome; null, `no_decisions`, where there is none.
 */
export function meanOf(tally: ReadonlyMap<number, number>): Measure {
  return ratioOf(totalOf([tally]), [...tally.values()].reduce((sum, times) => sum + times, 0));
}
