/** Everything that decides an evaluation's outcomes, so that a run goes on only as what it was begun as. */
import type { Controller } from '../../contract/controller.ts';
import { digestOf, digestOfText } from '../../contract/digest.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { Condition } from '../../contract/case.ts';
import { schemaDigest } from '../../database/migrate.ts';
import { planOf } from '../../scenarios/plan.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';
import { UserError } from '../output.ts';
import { matchedBudgets, type Budget } from './matched-gate.ts';
import { actionsOf, plannedCases, type Choice } from './plan.ts';

/** As `settings.json` holds it. No clock and no machine is in it: the same evaluation has the same bytes. */
export type EvaluationSettings = {
  /** The form of the lines; a new field means a new number. */
  readonly format: 1;
  readonly design: Choice['design'];
  /** By digest; null for a canned one. */
  readonly proposers: readonly { readonly name: string; readonly digest: string | null }[];
  readonly seeds: readonly number[];
  readonly telemetry: Choice['telemetry'];
  readonly controllers: readonly string[];
  /** Of what the controllers do. */
  readonly actions: string;
  /** Of the random gate, by proposer. */
  readonly randomGate: Readonly<Record<string, Budget>>;
  /** Of what is asked and true: every plan of the design, and the telemetry of both profiles. */
  readonly cases: string;
  /** Of the proposals themselves. */
  readonly proposals: string;
  /** Of the database's schema and functions, so of every tool contract. */
  readonly schema: string;
};

/** The part that is known before any proposal was read. */
export function chosenSettings({ design, seeds, telemetry }: Choice): Pick<EvaluationSettings, 'design' | 'seeds' | 'telemetry'> {
  return { design, seeds, telemetry };
}

/** Works the settings out. @throws UserError where one proposer answered as two models */
export async function settingsOf(choice: Choice, proposals: readonly FrozenProposal[], controllers: readonly Controller[]): Promise<EvaluationSettings> {
  return {
    format: 1, design: choice.design, proposers: choice.proposers.map((name) => ({ name, digest: modelDigest(name, proposals) })), seeds: choice.seeds, telemetry: choice.telemetry,
    controllers: controllers.map((controller) => controller.name), actions: digestOf(actionsOf(controllers)),
    randomGate: matchedBudgets(proposals, controllers),
    cases: digestOf([plannedCases(choice).map(planOf), Condition.options.map((condition) => [telemetryOf(condition), telemetryOf(condition, 'degraded')])]),
    proposals: digestOfText(proposals.map((proposal) => JSON.stringify(proposal)).join('\n')), schema: await schemaDigest(),
  };
}

function modelDigest(name: string, proposals: readonly FrozenProposal[]): string | null {
  const digests = new Set(proposals.filter((proposal) => proposal.proposer === name).map((proposal) => proposal.digest));
  if (digests.size > 1) throw new UserError(`The frozen proposals of ${name} are of ${String(digests.size)} models (${[...digests].join(', ')}): keep one model a folder.`);
  return [...digests][0] ?? null;
}
