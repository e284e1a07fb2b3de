/** The learned router on what it was not fitted on, worked out from outcomes that are there: each action has the outcome of the fixed controller that always takes it. */
import type { LeftOut } from '../../analysis/report/study-view.ts';
import { decisionKey } from '../../analysis/study/cells.ts';
import { leaveOneDomainOut, leaveOneFaultOut, type Split } from '../../analysis/study/splits.ts';
import type { ControllerAction, ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { developmentTemplates } from '../../guards/controllers/parameters.ts';
import { supportOf, supportRouterOf, supportWeights } from '../../guards/controllers/support-router.ts';
import type { SupportWeights } from '../../guards/controllers/support-weights.ts';
import { trainSupportRouter } from '../../guards/controllers/train-support-router.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';

/** For every proposer: held-out templates, then each fault family, then each domain. Empty where a fixed controller was not run. */
export function leftOutOf(outcomes: readonly EvaluatedOutcome[]): LeftOut[] {
  const canonical = outcomes.filter(({ telemetry }) => telemetry === 'canonical');
  return [...new Set(canonical.map(({ proposer }) => proposer))].sort().flatMap((proposer) => {
    const own = canonical.filter((outcome) => outcome.proposer === proposer);
    const splits = [...leaveOneFaultOut(own).map((split) => ({ kind: 'fault' as const, split })), ...leaveOneDomainOut(own).map((split) => ({ kind: 'domain' as const, split }))];
    return [...heldOutTemplates(own, proposer), ...splits.flatMap(({ kind, split }) => tried(own, split).map((sums): LeftOut => ({ kind, proposer, heldOut: split.heldOut, ...sums })))];
  });
}

/** The weights of the repository on templates that they were not made from. */
function heldOutTemplates(own: readonly EvaluatedOutcome[], proposer: string): LeftOut[] {
  const development: readonly string[] = developmentTemplates;
  const routed = own.filter(({ controller, template }) => controller === 'support-router' && !development.includes(template));
  return routed.length === 0 ? [] : [{ kind: 'template', proposer, heldOut: `${String(new Set(routed.map(({ template }) => template)).size)} templates`, ...sumsOf(routed, supportWeights) }];
}

type Sums = Pick<LeftOut, 'decisions' | 'outside' | 'unsafe' | 'cost'>;

/** `weights`: of the fit, whose support says which decisions it had never seen the like of. */
function sumsOf(outcomes: readonly EvaluatedOutcome[], weights: SupportWeights): Sums {
  const outside = outcomes.filter(({ condition }) => supportOf(weights, telemetryOf(condition)) === undefined).length;
  return { outside, decisions: outcomes.length, unsafe: outcomes.filter(({ unsafe }) => unsafe).length, cost: outcomes.reduce((sum, { cost }) => sum + cost, 0) };
}

/** Fits on one side and tries on the other. None where either side is empty, or an action's outcome is not known. */
function tried(own: readonly EvaluatedOutcome[], { fit, test }: Split): Sums[] {
  const pick = (positions: readonly number[]): EvaluatedOutcome[] => positions.flatMap((position) => own[position] ?? []);
  const [fitted, held] = [pick(fit), pick(test)];
  const has = (name: ControllerName): boolean => held.some(({ controller }) => controller === name);
  if (!fitted.some(({ action }) => action !== 'none') || !has('always-execute') || !has('always-fast') || !has('always-strong')) return [];
  const weights = trainSupportRouter(fitted, { design: 'this run', source: 'its own outcomes', telemetryOf });
  const router = supportRouterOf(weights);
  const byDecision = new Map(held.map((outcome) => [`${outcome.controller} ${decisionKey(outcome)}`, outcome]));
  const routed = held.filter(({ controller }) => controller === 'always-execute').map((outcome) => {
    const { confidence, agreement, condition } = outcome;
    return byDecision.get(`${fixedFor(router.decide({ telemetry: telemetryOf(condition), confidence, agreement, draw: 0 }))} ${decisionKey(outcome)}`);
  });
  const known = routed.filter((outcome) => outcome !== undefined);
  return known.length === 0 || known.length < routed.length ? [] : [sumsOf(known, weights)];
}

/** The controller that always does this. */
function fixedFor(action: ControllerAction): ControllerName {
  if (action.kind === 'verify') return action.evidence === 'fast' ? 'always-fast' : 'always-strong';
  return action.kind === 'escalate' ? 'always-escalate' : 'always-execute';
}
