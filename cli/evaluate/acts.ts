/** One decision made ready: what its case is, what was proposed, and what every controller does about it. Nothing here has seen a database. */
import { parseCaseId } from '../../contract/case.ts';
import { costOf, type ControllerAction, type ControllerView } from '../../contract/controller.ts';
import { canonicalText } from '../../contract/digest.ts';
import { raceClassOf, type EvaluatedOutcome, type FrozenDecision } from '../../contract/evaluated.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import type { Arguments } from '../../contract/proposal.ts';
import { templateNamed } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { EpisodePlan } from '../../scenarios/scenario.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';
import { drawOf } from './matched-gate.ts';
import type { Run } from './plan.ts';

/** The part that is about the decision alone. */
export type KnownDecision = FrozenDecision & Pick<EvaluatedOutcome, 'template' | 'domain' | 'condition' | 'twin' | 'raceClass'>;

/** What a line says before anything is done. */
type Known = Omit<EvaluatedOutcome, 'blockedBy' | 'committed' | 'unsafe' | 'safeSuccess' | 'wrongEffect' | 'diffExact' | 'duplicates' | 'integrity' | 'failedClauses'>;

/** A controller's action on the decision. */
export type Act = { readonly known: Known; readonly action: ControllerAction };

/** The decision: its plan, its proposal, and an act a run, in the order of the runs. */
export type ReadyDecision = { readonly plan: EpisodePlan; readonly proposal: FrozenProposal; readonly acts: readonly Act[] };

/** Asks every controller; all who gamble gamble on the same draw. */
export function readyDecision(proposal: FrozenProposal, runs: readonly Run[]): ReadyDecision {
  const { caseId, answer, confidence, agreement } = proposal;
  const plan = planOf(caseId);
  const decision = knownDecision(proposal, plan);
  const draw = drawOf(proposal);
  const acts = runs.map(({ controller, telemetry }): Act => {
    const view: ControllerView = { telemetry: telemetryOf(decision.condition, telemetry), confidence, agreement, draw };
    const action = controller.decide(view);
    return {
      action,
      known: {
        ...decision, telemetry, controller: controller.name, action: answer === 'act' ? wordOf(action) : 'none',
        cost: costOf(action), // also where nothing was proposed: a controller decides before it knows
      },
    };
  });
  return { plan, proposal, acts };
}

/** What is known of a frozen decision and its case before anything is done about it. */
export function knownDecision(proposal: FrozenProposal, plan: EpisodePlan): KnownDecision {
  const { caseId, proposer, seed, answer, confidence, agreement } = proposal;
  const cell = parseCaseId(caseId);
  const template = templateNamed(cell.template);
  if (template === undefined) throw new TypeError(`There is no template ${cell.template}.`);
  const { condition, twin } = plan;
  return {
    caseId, proposer, seed, answer, wrongArguments: answer === 'act' && isOtherCall(proposal, plan), confidence, agreement,
    template: template.name, domain: template.domain, condition, twin, raceClass: raceClassOf(condition, twin),
  };
}

/** Whether a call is another than the template's mutation. */
export function isOtherCall(call: { readonly tool: string; readonly arguments: Arguments }, plan: EpisodePlan): boolean {
  return call.tool !== plan.tool || canonicalText(call.arguments) !== canonicalText(plan.arguments);
}

function wordOf(action: ControllerAction): Known['action'] {
  switch (action.kind) {
    case 'escalate':
      return 'escalate';
    case 'verify':
      return action.evidence;
    case 'commit':
      return action.guard.kind === 'none' ? 'execute' : 'guard';
  }
}
