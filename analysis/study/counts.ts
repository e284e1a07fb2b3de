/** Counts one controller's outcomes and makes its rates, all by intention (guard-precision, section on metrics). */
import { RaceClass } from '../../contract/evaluated.ts';
import type { Cell, Part } from './cells.ts';
import { totalOf } from './tally.ts';
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
  /** Decisions of the class in which the proposer acted as it was asked. */
  readonly asAsked: PerRace;
  /** Those of them of which nothing was committed, whoever stopped it. */
  readonly blocked: PerRace;
  /** Decisions in which the proposer did something else than asked, and nothing was committed: no intervention that anybody would miss. */
  readonly otherRefused: number;
  /** Left to a person. */
  readonly escalated: number;
  /** Settled by the controller without a person. Escalated, automated, `unjudged` and those with nothing to act on add up to `decisions`. */
  readonly automated: number;
  /** Verification units spent, summed; also those charged where the proposer did not act. */
  readonly cost: number;
};

/** Adds a cell's parts up; all zero for none. */
export function countCell(cell: Cell): ControllerCounts {
  const sum = (of: (part: Part) => number, parts = cell): number => parts.reduce((all, part) => all + of(part), 0);
  const inRace = (race: RaceClass): Cell => cell.filter(({ raceClass }) => raceClass === race);
  const unjudged = ({ planned, judged }: Part): number => planned - judged.outcomes;
  return {
    decisions: sum(({ planned }) => planned),
    unjudged: sum(unjudged),
    races: perRace((race) => sum(({ planned }) => planned, inRace(race))),
    unjudgedRaces: perRace((race) => sum(unjudged, inRace(race))),
    unsafe: sum(({ judged }) => judged.unsafe),
    safeSuccess: sum(({ judged }) => judged.safeSuccess),
    wrongEffect: sum(({ judged }) => judged.wrongEffect),
    asAsked: perRace((race) => sum(({ judged }) => judged.asAsked, inRace(race))),
    blocked: perRace((race) => sum(({ judged }) => judged.blocked, inRace(race))),
    otherRefused: sum(({ judged }) => judged.otherRefused),
    escalated: sum(({ judged }) => judged.escalated),
    automated: sum(({ judged }) => judged.automated),
    cost: totalOf(cell.map(({ judged }) => judged.costs)),
  };
}

/** The names of the rates, in the order of tables. */
export const rateNames = ['unsafe', 'safeSuccess', 'wrongEffect', 'blockedPreserving', 'blockedIrrelevant', 'blockedClean', 'escalation', 'automation'] as const;
export type RateName = (typeof rateNames)[number];

/**
 * One rate. Denominator: all planned decisions; for a benign intervention (`blocked...`) those of its race class, with the other classes excluded. A
 * decision on which the proposer abstained, failed or did something else than asked stays in the denominator and is no intervention. `automation` is automation coverage. Null at denominator 0.
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
