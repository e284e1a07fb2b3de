/** What an evaluation must account for, in its one order: every decision, and under each every controller and telemetry profile. */
import { Condition, caseId } from '../../contract/case.ts';
import type { Controller, ControllerAction, ControllerName, ControllerView } from '../../contract/controller.ts';
import { canonicalText } from '../../contract/digest.ts';
import { designCells, designs } from '../../scenarios/design.ts';
import { telemetryOf, type TelemetryProfile } from '../../scenarios/telemetry.ts';

/** What a person chooses. Nothing else changes what comes out. */
export type Choice = {
  readonly design: keyof typeof designs;
  readonly proposers: readonly string[];
  readonly seeds: readonly number[];
  readonly telemetry: TelemetryProfile | 'both';
};

/** A proposer's answer to a case under a seed, by name. */
export type PlannedDecision = { readonly caseId: string; readonly proposer: string; readonly seed: number };

/** A controller under a telemetry profile: one outcome of every decision. */
export type Run = { readonly controller: Controller; readonly telemetry: TelemetryProfile };

/** Every case of the design. */
export function plannedCases({ design }: Pick<Choice, 'design'>): string[] {
  return designCells(designs[design]).map(caseId);
}

/** All decisions: proposer by proposer, seed by seed, in the order of the design. */
export function plannedDecisions(choice: Omit<Choice, 'telemetry'>): PlannedDecision[] {
  const cases = plannedCases(choice);
  return choice.proposers.flatMap((proposer) => choice.seeds.flatMap((seed) => cases.map((cell) => ({ caseId: cell, proposer, seed }))));
}

/**
 * What every decision goes through. Under `both`, the degraded profile is run for those controllers alone whose action telemetry can change: for every other one
 * the same world would be committed to in the same way a second time.
 */
export function plannedRuns(controllers: readonly Controller[], telemetry: Choice['telemetry']): Run[] {
  if (telemetry !== 'both') return controllers.map((controller) => ({ controller, telemetry }));
  const once = runOnce(controllers, telemetry);
  const degraded = controllers.filter(({ name }) => !once.includes(name));
  return [...controllers.map((controller) => ({ controller, telemetry: 'canonical' as const })), ...degraded.map((controller) => ({ controller, telemetry: 'degraded' as const }))];
}

/** The controllers whose one run stands for both profiles: none where only one profile was asked for. */
export function runOnce(controllers: readonly Controller[], telemetry: Choice['telemetry']): ControllerName[] {
  return telemetry === 'both' ? controllers.filter((controller) => !dependsOnTelemetry(controller)).map(({ name }) => name) : [];
}

/** Whether some condition's telemetry makes the controller act otherwise under the degraded profile. Tried, not listed: a new controller needs no entry here. */
function dependsOnTelemetry(controller: Controller): boolean {
  return Condition.options.some((condition) => actions(controller, condition, 'canonical') !== actions(controller, condition, 'degraded'));
}

/** What a controller does under a condition's telemetry, whatever else it may see: extremes, the middle, and nothing said. */
function actions(controller: Controller, condition: Condition, profile: TelemetryProfile): string {
  const said = [null, 0, 0.5, 1] as const;
  const views: ControllerView[] = said.flatMap((confidence) => said.flatMap((agreement) => [0, 0.5, 0.999].map((draw) => ({ telemetry: telemetryOf(condition, profile), confidence, agreement, draw }))));
  return canonicalText(views.map((view): ControllerAction => controller.decide(view)));
}

/** What the controllers do in every condition and profile, as text: its digest tells a resumed run that they still do the same. */
export function actionsOf(controllers: readonly Controller[]): string[] {
  return controllers.map((controller) => Condition.options.map((condition) => actions(controller, condition, 'canonical') + actions(controller, condition, 'degraded')).join(''));
}
