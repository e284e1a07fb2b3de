/** The control of the agreement gate: the same budget, spent without looking. */
import type { Controller } from '../../contract/controller.ts';
import { execute, verifyStrong } from './actions.ts';
import { parameters } from './parameters.ts';

/**
 * A gate that buys strong evidence for a share of decisions, by the view's seeded draw. To match an agreement gate's budget, `share` is the share of
 * its decisions for which that gate bought strong evidence, or, where all draws are known beforehand, the draw below which exactly that many lie. @throws RangeError for a share outside 0 to 1
 */
export function randomGate(share: number): Controller {
  if (!(share >= 0 && share <= 1)) throw new RangeError(`A share is from 0 to 1, not ${String(share)}.`);
  return { name: 'random-gate', decide: ({ draw }) => (draw < share ? verifyStrong : execute) };
}

/** At the budget that guard-precision prints. */
export const matchedRandomGate: Controller = randomGate(parameters.randomGateShare.value);
