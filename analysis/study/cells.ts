/** Sorts outcomes into cells, one for each controller under each telemetry profile, that all speak of the same decisions. */
import { controllerNames, type ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';

export type TelemetryProfile = EvaluatedOutcome['telemetry'];

/** A decision that the design plans; an outcome is one too. */
export type PlannedDecision = Pick<EvaluatedOutcome, 'proposer' | 'caseId' | 'seed' | 'template' | 'domain' | 'condition' | 'raceClass'>;

/** One controller's outcomes by decision, and the decisions without one (a killed worker, an answer that never came). */
export type Cell = {
  readonly controller: ControllerName;
  readonly outcomes: ReadonlyMap<string, EvaluatedOutcome>;
  readonly unjudged: readonly PlannedDecision[];
};

/** The cells of one telemetry profile, in the order of `controllerNames`; a controller without any outcome has none. */
export type Cells = ReadonlyMap<ControllerName, Cell>;

/** What pairs the outcomes of different controllers: the case, who proposed, the seed. */
export function decisionKey(decision: Pick<EvaluatedOutcome, 'proposer' | 'caseId' | 'seed'>): string {
  return JSON.stringify([decision.proposer, decision.seed, decision.caseId]);
}

/** All decisions, sorted by key so that no sum depends on the order of lines: the planned ones and every one that has an outcome under any controller or profile. */
export function decisionsOf(outcomes: readonly EvaluatedOutcome[], planned: readonly PlannedDecision[] = []): ReadonlyMap<string, PlannedDecision> {
  const decisions = new Map<string, PlannedDecision>();
  for (const decision of planned) decisions.set(decisionKey(decision), decision);
  for (const outcome of outcomes) decisions.set(decisionKey(outcome), outcome);
  return new Map([...decisions].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The cells of a profile. Each has the same decisions, so that rates compare like with like: those that one lacks are its `unjudged`.
 * @throws RangeError for two outcomes of one controller on one decision: each would count twice.
 */
export function cellsOf(outcomes: readonly EvaluatedOutcome[], telemetry: TelemetryProfile, decisions: ReadonlyMap<string, PlannedDecision>): Cells {
  const found = new Map<ControllerName, Map<string, EvaluatedOutcome>>();
  for (const outcome of outcomes) {
    if (outcome.telemetry !== telemetry) continue;
    const own = found.get(outcome.controller) ?? new Map<string, EvaluatedOutcome>();
    const key = decisionKey(outcome);
    if (own.has(key)) throw new RangeError(`Two outcomes of ${outcome.controller} (${telemetry}) on ${key}.`);
    found.set(outcome.controller, own.set(key, outcome));
  }
  const cells = new Map<ControllerName, Cell>();
  for (const controller of controllerNames) {
    const own = found.get(controller);
    if (own === undefined) continue;
    const sorted = new Map([...decisions.keys()].flatMap((key) => { const outcome = own.get(key); return outcome === undefined ? [] : [[key, outcome] as const]; }));
    const unjudged = [...decisions].flatMap(([key, decision]) => (own.has(key) ? [] : [decision]));
    cells.set(controller, { controller, outcomes: sorted, unjudged });
  }
  return cells;
}

/** The part of a cell for each value of `keyOf`, sorted by it. */
export function partsOf(cell: Cell, keyOf: (decision: PlannedDecision) => string): ReadonlyMap<string, Cell> {
  const outcomes = new Map<string, Map<string, EvaluatedOutcome>>();
  const unjudged = new Map<string, PlannedDecision[]>();
  for (const [key, outcome] of cell.outcomes) outcomes.set(keyOf(outcome), (outcomes.get(keyOf(outcome)) ?? new Map<string, EvaluatedOutcome>()).set(key, outcome));
  for (const decision of cell.unjudged) unjudged.set(keyOf(decision), [...(unjudged.get(keyOf(decision)) ?? []), decision]);
  const names = [...new Set([...outcomes.keys(), ...unjudged.keys()])].sort();
  return new Map(names.map((name) => [name, { controller: cell.controller, outcomes: outcomes.get(name) ?? new Map<string, EvaluatedOutcome>(), unjudged: unjudged.get(name) ?? [] }]));
}
