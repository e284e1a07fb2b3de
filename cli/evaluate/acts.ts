/** One decision made ready: what its case is, what was proposed, and what every controller does about it. Nothing here has seen a database. */
import { parseCaseId, twinOf } from '../../contract/case.ts';
import { costOf, type ControllerAction, type ControllerView } from '../../contract/controller.ts';
import { canonicalText } from '../../contract/digest.ts';
import { raceClassOf, type EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { templateNamed } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { EpisodePlan } from '../../scenarios/scenario.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';
import { drawOf } from './matched-gate.ts';
import type { Run } from './plan.ts';

/** What a line says before anything is done. */
type Known = Omit<EvaluatedOutcome, 'blockedBy' | 'committed' | 'unsafe' | 'safeSuccess' | 'wrongEffect' | 'diffExact' | 'duplicates' | 'integrity' | 'failedClauses'>;

/** A controller's action on the decision. */
export type Act = { readonly known: Known; readonly action: ControllerAction };

/** The decision: its plan, its proposal, and an act a run, in the order of the runs. */
export type ReadyDecision = { readonly plan: EpisodePlan; readonly proposal: FrozenProposal; readonly acts: readonly Act[] };

/** Asks every controller; all who gamble gamble on the same draw. */
export function readyDecision(proposal: FrozenProposal, runs: readonly Run[]): ReadyDecision {
  const { caseId, proposer, seed, answer, confidence, agreement } = proposal;
  const plan = planOf(caseId);
  const cell = parseCaseId(caseId);
  const template = templateNamed(cell.template);
  if (template === undefined) throw new TypeError(`There is no template ${cell.template}.`);
  const twin = twinOf(cell);
  const draw = drawOf(proposal);
  const acts = runs.map(({ controller, telemetry }): Act => {
    const view: ControllerView = { telemetry: telemetryOf(cell.condition, telemetry), confidence, agreement, draw };
    const action = controller.decide(view);
    return {
      action,
      known: {
        caseId, proposer, seed, answer, wrongArguments: hasWrongArguments(proposal, plan), confidence, agreement,
        template: template.name, domain: template.domain, condition: cell.condition, twin, raceClass: raceClassOf(cell.condition, twin),
        telemetry, controller: controller.name, action: answer === 'act' ? wordOf(action) : 'none',
        cost: costOf(action), // also where nothing was proposed: a controller decides before it knows
      },
    };
  });
  return { plan, proposal, acts };
}

function hasWrongArguments(proposal: FrozenProposal, plan: EpisodePlan): boolean {
  return proposal.answer === 'act' && !(proposal.tool === plan.tool && canonicalText(proposal.arguments) === canonicalText(plan.arguments));
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
