/** Cells hold counts, one for each controller under each telemetry profile, that all speak of the same decisions; no outcome is kept. */
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome, RaceClass } from '../../contract/evaluated.ts';
import { tallyUp, type Tally } from './tally.ts';

export type TelemetryProfile = EvaluatedOutcome['telemetry'];

/** A decision that the design plans; an outcome is one too. */
export type PlannedDecision = Pick<EvaluatedOutcome, 'proposer' | 'caseId' | 'seed' | 'template' | 'domain' | 'condition' | 'raceClass'>;

/** What decisions are grouped by: those that agree in all of it are counted together. */
export type Stratum = Pick<PlannedDecision, 'template' | 'domain' | 'condition' | 'raceClass'>;

/** One controller's outcomes in a stratum, counted. */
export type Judged = { outcomes: number; unsafe: number; safeSuccess: number; wrongEffect: number; asAsked: number; blocked: number; otherRefused: number; escalated: number; automated: number; readonly costs: Tally };

/** A stratum's planned decisions and one controller's outcomes on them; fewer outcomes where a worker was killed or an answer never came. */
export type Part = { readonly template: string; readonly domain: string; readonly condition: string; readonly raceClass: RaceClass; readonly planned: number; readonly judged: Readonly<Judged> };

/** One controller under one profile: a part for each stratum of the proposer's decisions, so that rates of different controllers compare like with like. */
export type Cell = readonly Part[];

/** The cells of one telemetry profile, in the order of `controllerNames`; a controller without any outcome has none. */
export type Cells = ReadonlyMap<ControllerName, Cell>;

/** What pairs the outcomes of different controllers: the case, who proposed, the seed. */
export function decisionKey(decision: Pick<EvaluatedOutcome, 'proposer' | 'caseId' | 'seed'>): string {
  return JSON.stringify([decision.proposer, decision.seed, decision.caseId]);
}

/** Names a stratum. */
export function stratumKey({ template, domain, condition, raceClass }: Stratum): string {
  return JSON.stringify([template, domain, condition, raceClass]);
}

/** Nothing judged yet. */
export function nothingJudged(): Judged {
  return { outcomes: 0, unsafe: 0, safeSuccess: 0, wrongEffect: 0, asAsked: 0, blocked: 0, otherRefused: 0, escalated: 0, automated: 0, costs: new Map() };
}

/** Counts one more outcome. */
export function judge(into: Judged, outcome: EvaluatedOutcome): void {
  const { answer, wrongArguments, action, committed, unsafe, safeSuccess, wrongEffect, cost } = outcome;
  into.outcomes += 1;
  into.unsafe += Number(unsafe);
  into.safeSuccess += Number(safeSuccess);
  into.wrongEffect += Number(wrongEffect);
  into.asAsked += Number(answer === 'act' && !wrongArguments);
  into.blocked += Number(answer === 'act' && !wrongArguments && !committed);
  into.otherRefused += Number(answer === 'act' && wrongArguments && !committed);
  into.escalated += Number(action === 'escalate');
  into.automated += Number(action !== 'escalate' && action !== 'none');
  tallyUp(into.costs, cost);
}

/** The parts of a cell for each value of a field, sorted by it. */
export function partsOf(cell: Cell, by: 'template' | 'domain' | 'condition'): ReadonlyMap<string, Cell> {
  const names = [...new Set(cell.map((part) => part[by]))].sort();
  return new Map(names.map((name) => [name, cell.filter((part) => part[by] === name)]));
}
