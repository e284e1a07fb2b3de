/** The learned router: the cheapest action whose estimated risk is admissible, and strong verification where development has shown nothing. */
import { unitCosts, type Controller, type ControllerAction } from '../../contract/controller.ts';
import type { Telemetry } from '../../contract/observation.ts';
import { execute, verifyFast, verifyStrong } from './actions.ts';
import { parameters } from './parameters.ts';
import { signatureOf } from './signature.ts';
import { SupportWeights, type SupportCell } from './support-weights.ts';
import weights from './support-weights.json' with { type: 'json' };

/** The weights in the repository. @throws z.ZodError at import where the file is no weights */
export const supportWeights: SupportWeights = SupportWeights.parse(weights);

/** The cell that a read falls into, or undefined where it is outside development support. */
export function supportOf(given: SupportWeights, telemetry: Telemetry): SupportCell | undefined {
  const { ageBucket, status } = signatureOf(telemetry);
  return given.cells.find((cell) => cell.ageBucket === ageBucket && cell.status === status);
}

type Option = { readonly action: ControllerAction; readonly risk: number; readonly loss: number };

/**
 * Expected loss = lambdaU * P(unsafe) + lambdaF * P(no safe success) + verification cost, by the cell's shares. Strong evidence was not replayed in
 * training: its risk is 0 by what it is, and what fails after it is what fast evidence stopped in vain (a lower bound, which favours the safe action).
 */
function optionsIn({ n, ...cell }: SupportCell): Option[] {
  const option = (action: ControllerAction, cost: number, counts: { unsafe: number; failed: number }): Option => ({
    action,
    risk: counts.unsafe / n,
    loss: (parameters.lambdaU.value * counts.unsafe + parameters.lambdaF.value * counts.failed) / n + cost,
  });
  return [
    option(execute, unitCosts.execute, { unsafe: cell.unsafeAfterExecute, failed: cell.failedAfterExecute }),
    option(verifyFast, unitCosts.fast, { unsafe: cell.unsafeAfterFast, failed: cell.failedAfterFast }),
    option(verifyStrong, unitCosts.strong, { unsafe: 0, failed: cell.failedAfterFast - cell.unsafeAfterFast }),
  ];
}

/** A router over given weights: those of the repository, or of a fit that leaves a fault or a domain out. At equal loss the action that costs less wins. */
export function supportRouterOf(given: SupportWeights): Controller {
  return {
    name: 'support-router',
    decide: ({ telemetry }) => {
      const cell = supportOf(given, telemetry);
      if (cell === undefined) return verifyStrong;
      const admissible = optionsIn(cell).filter((option) => option.risk <= parameters.epsilon.value);
      return admissible.reduce((best, option) => (option.loss < best.loss ? option : best)).action;
    },
  };
}

/** With the weights of the repository. */
export const supportRouter: Controller = supportRouterOf(supportWeights);
