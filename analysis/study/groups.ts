/** The worst group, and the distance to an oracle that picks the cheapest controller for each decision (guard-precision, section on metrics). */
import type { ControllerName } from '../../contract/controller.ts';
import type { Cell, Cells } from './cells.ts';
import { rateNamed, type ControllerCounts } from './counts.ts';
import { outcomeLoss, type Prices } from './loss.ts';
import { noValue, ratioOf, type Measure, type Rate } from './value.ts';

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

/** `oracleLoss`: the mean over decisions of the cheapest loss among all controllers. `regret`: each controller's distance to it. */
export type Regret = { readonly oracleLoss: Measure; readonly regret: ReadonlyMap<ControllerName, Measure> };

/**
 * Mean over a controller's outcomes of (its loss on that decision - the least loss that any controller has on it); never negative. Denominator: the
 * controller's decisions with an outcome; null, `no_decisions`, where there is none.
 */
export function regretOf(cells: Cells, prices: Prices): Regret {
  const least = new Map<string, number>();
  for (const { outcomes } of cells.values()) for (const [key, outcome] of outcomes) least.set(key, Math.min(least.get(key) ?? Infinity, outcomeLoss(outcome, prices)));
  const distance = ({ outcomes }: Cell): Measure => {
    let sum = 0;
    for (const [key, outcome] of outcomes) sum += outcomeLoss(outcome, prices) - (least.get(key) ?? 0);
    return ratioOf(sum, outcomes.size);
  };
  const oracle = [...least.values()].reduce((sum, loss) => sum + loss, 0);
  return { oracleLoss: least.size === 0 ? noValue('no_decisions') : ratioOf(oracle, least.size), regret: new Map([...cells].map(([name, cell]) => [name, distance(cell)])) };
}
