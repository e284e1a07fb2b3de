/** Counts one controller's outcomes and makes its rates, all by intention (guard-precision, section on metrics). */
import { RaceClass, type EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { Cell } from './cells.ts';
import { rateOf, ratioOf, type Measure, type Rate } from './value.ts';

type PerRace = Readonly<Record<RaceClass, number>>;

/** One controller's counts. `decisions` is what was planned, `unjudged` those of them without an outcome. */
export type ControllerCounts = {
  readonly decisions: number;
  readonly unjudged: number;
  /** Decisions by race class; the sum is `decisions`. */
  readonly races: PerRace;
  readonly unjudgedRaces: PerRace;
  readonly unsafe: number;
  readonly safeSuccess: number;
  readonly wrongEffect: number;
  /** Decisions of the class in which the proposer acted and nothing was committed, whoever stopped it. */
  readonly blocked: PerRace;
  /** Left to a person. */
  readonly escalated: number;
  /** Settled by the controller without a person. Escalated, automated, `unjudged` and those with nothing to act on add up to `decisions`. */
  readonly automated: number;
  /** Verification units spent, summed; also those charged where the proposer did not act. */
  readonly cost: number;
};

/** Counts a cell; all zero for none. */
export function countCell(cell: Cell): ControllerCounts {
  const outcomes = [...cell.outcomes.values()];
  const count = (holds: (outcome: EvaluatedOutcome) => boolean): number => outcomes.filter(holds).length;
  const unjudgedRaces = perRace((race) => cell.unjudged.filter(({ raceClass }) => raceClass === race).length);
  return {
    decisions: outcomes.length + cell.unjudged.length,
    unjudged: cell.unjudged.length,
    races: perRace((race) => unjudgedRaces[race] + count(({ raceClass }) => raceClass === race)),
    unjudgedRaces,
    unsafe: count(({ unsafe }) => unsafe),
    safeSuccess: count(({ safeSuccess }) => safeSuccess),
    wrongEffect: count(({ wrongEffect }) => wrongEffect),
    blocked: perRace((race) => count(({ raceClass, answer, committed }) => raceClass === race && answer === 'act' && !committed)),
    escalated: count(({ action }) => action === 'escalate'),
    automated: count(({ action }) => action !== 'escalate' && action !== 'none'),
    cost: outcomes.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** The names of the rates, in the order of tables. */
export const rateNames = ['unsafe', 'safeSuccess', 'wrongEffect', 'blockedPreserving', 'blockedIrrelevant', 'blockedClean', 'escalation', 'automation'] as const;
export type RateName = (typeof rateNames)[number];

/**
 * One rate. Denominator: all planned decisions; for a benign intervention (`blocked...`) those of its race class, with the other classes excluded. A
 * decision on which the proposer abstained or failed stays in the denominator and is no intervention. `automation` is automation coverage. Null at denominator 0.
 */
export function rateNamed(name: RateName, of: ControllerCounts): Rate {
  const blocked = (race: RaceClass): Rate => rateOf({ numerator: of.blocked[race], denominator: of.races[race], excluded: of.decisions - of.races[race], unjudged: of.unjudgedRaces[race] });
  const among = (numerator: number): Rate => rateOf({ numerator, denominator: of.decisions, excluded: 0, unjudged: of.unjudged });
  switch (name) {
    case 'unsafe': return among(of.unsafe);
    case 'safeSuccess': return among(of.safeSuccess);
    case 'wrongEffect': return among(of.wrongEffect);
    case 'blockedPreserving': return blocked('preserving');
    case 'blockedIrrelevant': return blocked('irrelevant');
    case 'blockedClean': return blocked('clean');
    case 'escalation': return among(of.escalated);
    case 'automation': return among(of.automated);
  }
}

/** Verification units spent / decisions with an outcome: what the others would have cost is not known. Null where there is none. */
export function meanCost(of: Pick<ControllerCounts, 'cost' | 'decisions' | 'unjudged'>): Measure {
  return ratioOf(of.cost, of.decisions - of.unjudged);
}

function perRace(count: (race: RaceClass) => number): PerRace {
  return Object.fromEntries(RaceClass.options.map((race) => [race, count(race)])) as PerRace;
}
