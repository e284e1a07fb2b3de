/** Counts the replanning layer, for each kind of what went back to the proposer (guard-precision, table on replanning). */
import { ReplanKind, type ReplannedOutcome } from '../../contract/replanned.ts';
import { ratioOf, toThreeDecimals } from './value.ts';

/** A replan as it is counted; `roundTripMs` is null where no model was asked. */
export type CountedReplan = ReplannedOutcome & { readonly roundTripMs: number | null };

/** One kind's counts. Replanned, abstained and failed add up to `population`. */
export type ReplanCounts = {
  readonly population: number;
  /** The proposer acted again. */
  readonly replanned: number;
  readonly abstained: number;
  /** Its answer was none. */
  readonly failed: number;
  /** The new proposal was committed: no guard stands in its way, so all that were replanned but for calls that the tool does not take. */
  readonly recommitted: number;
  readonly unsafe: number;
  /** unsafe / population, at three decimals; null at 0. */
  readonly unsafeRate: number | null;
  /** unsafe / recommitted, at three decimals; null where nothing was committed. */
  readonly unsafeAmongRecommits: number | null;
  /** The exact diff holds and nothing unsafe was committed: by whoever's hand, also where the proposer abstained. */
  readonly safeSuccess: number;
  /** Questions that a model was asked; those answered by a frozen reply are not among them. */
  readonly asked: number;
  /** Their mean time from question to answer, in whole milliseconds; null where none was asked. */
  readonly meanRoundTripMs: number | null;
};

export type ReplanCountsByKind = Readonly<Record<ReplanKind, ReplanCounts>>;

/** One proposer's replanning layer, as `evaluate --json` prints it. */
export type ReplanningCounts = {
  /** Replans of each kind; a block goes back exactly where a read-set version guard fires, whether or not the proposer had acted. */
  readonly perModel: Readonly<Record<ReplanKind, number>>;
  /** Decisions on which all kinds are compared: those where the guard fires. */
  readonly matchedPerModel: number;
  readonly whole: ReplanCountsByKind;
  readonly matched: ReplanCountsByKind;
};

/** Counts the replans of one proposer. */
export function replanningCounts(replans: readonly CountedReplan[]): ReplanningCounts {
  const whole = byKind(replans);
  const matched = byKind(replans.filter(({ guardFired }) => guardFired));
  return { perModel: Object.fromEntries(ReplanKind.options.map((kind) => [kind, whole[kind].population])) as Record<ReplanKind, number>, matchedPerModel: matched.guardBlock.population, whole, matched };
}

function byKind(replans: readonly CountedReplan[]): ReplanCountsByKind {
  return Object.fromEntries(ReplanKind.options.map((kind) => [kind, countsOf(replans.filter((replan) => replan.kind === kind))])) as Record<ReplanKind, ReplanCounts>;
}

function countsOf(replans: readonly CountedReplan[]): ReplanCounts {
  const count = (holds: (replan: CountedReplan) => boolean): number => replans.filter(holds).length;
  const roundTripsMs = replans.flatMap(({ roundTripMs }) => roundTripMs ?? []);
  const [recommitted, unsafe] = [count(({ committed }) => committed), count((replan) => replan.unsafe)];
  return {
    population: replans.length, replanned: count(({ replanned }) => replanned === 'act'), abstained: count(({ replanned }) => replanned === 'abstain'), failed: count(({ replanned }) => replanned === 'failed'),
    recommitted, unsafe, unsafeRate: toThreeDecimals(ratioOf(unsafe, replans.length)), unsafeAmongRecommits: toThreeDecimals(ratioOf(unsafe, recommitted)),
    safeSuccess: count(({ safeSuccess }) => safeSuccess),
    asked: roundTripsMs.length, meanRoundTripMs: roundTripsMs.length === 0 ? null : Math.round(roundTripsMs.reduce((sum, ms) => sum + ms, 0) / roundTripsMs.length),
  };
}
