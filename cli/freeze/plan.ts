/** What a freeze must answer, in its one order: model by model, so that one at a time is resident, seed by seed, case by case. */
import { proposerOf } from '../../contract/proposer-name.ts';
import { randomStream } from '../../contract/random.ts';
import { plannedDecisions, type Choice, type PlannedDecision } from '../evaluate/plan.ts';

/** A model by its name and what names its weights, template and parameters together. */
export type PinnedModel = { readonly name: string; readonly digest: string };

/** What a person chooses. Nothing else changes what is asked. */
export type FreezeChoice = Pick<Choice, 'design' | 'seeds'> & {
  readonly models: readonly PinnedModel[];
  /** Further decodings of each proposal; 0 asks once. */
  readonly repeat: number;
  /** Whether the prompt asks to consider staleness, ambiguous commits and concurrency (guard-precision, section on prompt caution). */
  readonly caution: boolean;
};

/** A decision of the evaluation, and the model that answers it. */
export type PlannedProposal = PlannedDecision & { readonly model: PinnedModel };

/** Every proposal, in the order in which evaluations of the same choice want them. */
export function plannedProposals({ design, seeds, models, caution }: FreezeChoice): PlannedProposal[] {
  return models.flatMap((model) => plannedDecisions({ design, seeds, proposers: [proposerOf(model.name, caution)] }).map((decision) => ({ ...decision, model })));
}

/**
 * The seeds of a proposal's further decodings: all different, none the proposal's own, the same for every model and caution, and more of them begin with the same
 * ones, so that more decodings are asked only for what is new.
 */
export function decodingSeeds({ caseId, seed }: Pick<PlannedProposal, 'caseId' | 'seed'>, count: number): number[] {
  const stream = randomStream(seed, caseId, 'repeated-decoding');
  const seeds = new Set([seed]);
  while (seeds.size <= count) seeds.add(stream.integer(0, 2 ** 31 - 1));
  return [...seeds].slice(1);
}
