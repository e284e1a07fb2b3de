/** The learned router's weights from a real evaluation: the development templates on Postgres, under the two actions that the router weighs. */
import { alwaysExecute } from '../../guards/controllers/always-execute.ts';
import { alwaysFast } from '../../guards/controllers/always-fast.ts';
import { SupportWeights } from '../../guards/controllers/support-weights.ts';
import { trainSupportRouter } from '../../guards/controllers/train-support-router.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';
import type { Choice } from '../evaluate/plan.ts';
import { readOutcomes } from '../evaluate/records.ts';
import { evaluate, type Evaluation, type Lend } from '../evaluate/run.ts';

/** What the weights are made from: nothing of a held-out template, nothing of degraded telemetry, no model. */
export const trainingChoice: Choice = { design: 'development', proposers: ['always-act'], seeds: [13, 42, 2026], telemetry: 'canonical' };

const context = {
  design: 'development: 8 templates x 4 instances x 6 conditions x 3 seeds, each decision under always-execute and always-fast',
  source: 'holdpoint train: the frozen evaluation of these decisions on Postgres, every outcome scored by the judge from the row history',
  telemetryOf,
};

/** Evaluates in the folder and counts. The same scenarios, contracts and seeds give the same weights. @throws UserError as `evaluate` does */
export async function trainedWeights(where: Omit<Evaluation, 'choice' | 'controllers'>, lend: Lend): Promise<SupportWeights> {
  await evaluate({ ...where, choice: trainingChoice, controllers: [alwaysExecute, alwaysFast] }, lend);
  return SupportWeights.parse(trainSupportRouter([...readOutcomes(where.folder)], context));
}
