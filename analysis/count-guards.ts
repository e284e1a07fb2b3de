/** Counts a guard's decisions by intention: every planned episode is in the denominator. */
import { GuardKind } from '../contract/guard.ts';
import type { EpisodeClass } from '../contract/outcome.ts';
import type { Decision } from './decision.ts';

/** One guard's counts. `decisions` is the denominator of all of them, except for `blockedBenign`, whose denominator is `benign`. */
export type GuardCounts = {
  /** Planned episodes. */
  readonly decisions: number;
  /** Commits whose full predicate did not hold just before them, or that left a duplicate. */
  readonly unsafe: number;
  /** Episodes that were not unsafe and whose world ended exactly as asked, by whoever's hand. */
  readonly safeSuccess: number;
  /** Commits that were safe and yet did something else than asked. */
  readonly wrongEffect: number;
  /** Benign and clean episodes that the guard refused and that committed nothing in the end. */
  readonly blockedBenign: number;
  /** Side effects that were made twice. */
  readonly duplicates: number;
  /** Planned episodes in benign and clean cases. */
  readonly benign: number;
  /** Episodes that the judge could not score: `unsafe` lies between its value and its value plus this. */
  readonly unjudged: number;
  /** Episodes by terminal class; the sum is `decisions`. */
  readonly classes: Readonly<Partial<Record<EpisodeClass, number>>>;
};

/** Counts by kind of guard. A predicate with clauses left out is another guard and is not counted as `predicate`. */
export function countGuards(decisions: readonly Decision[]): Record<GuardKind, GuardCounts> {
  const full = decisions.filter((decision) => decision.without.length === 0);
  const counted = GuardKind.options.map((guard) => [guard, countDecisions(full.filter((decision) => decision.guard === guard))] as const);
  return Object.fromEntries(counted) as Record<GuardKind, GuardCounts>;
}

/** All zero for none. */
function countDecisions(decisions: readonly Decision[]): GuardCounts {
  const scores = decisions.flatMap(({ score }) => (score !== null && 'unsafe' in score ? [score] : []));
  const classes: Partial<Record<EpisodeClass, number>> = {};
  for (const decision of decisions) classes[decision.class] = (classes[decision.class] ?? 0) + 1;
  return {
    decisions: decisions.length,
    unsafe: scores.filter((score) => score.unsafe).length,
    safeSuccess: scores.filter((score) => score.safeSuccess).length,
    wrongEffect: scores.filter((score) => score.wrongEffect).length,
    blockedBenign: scores.filter((score) => score.blockedBenign).length,
    duplicates: scores.reduce((sum, score) => sum + score.duplicates, 0),
    benign: decisions.filter((decision) => decision.twin !== 'hazardous').length,
    unjudged: decisions.filter(({ score }) => score !== null && 'unjudged' in score).length,
    classes,
  };
}
