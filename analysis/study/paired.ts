/** Differences between two controllers on the same decisions: exact McNemar. */
import { ratioOf, type Measure } from './value.ts';

/** What may be compared. */
export type PairedMetric = 'unsafe' | 'safeSuccess' | 'wrongEffect' | 'committed';

/** A paired comparison of a first controller with a second. */
export type PairedDifference = {
  /** Decisions with an outcome of both. */
  readonly pairs: number;
  /** Decisions with an outcome of only one, or of none. */
  readonly excluded: number;
  /** Decisions where only the first has it. */
  readonly b: number;
  /** Decisions where only the second has it. */
  readonly c: number;
  /** (b - c) / pairs: first rate less second rate. Null at no pairs. */
  readonly difference: Measure;
  /** Two-sided, from `mcnemarExact`. It takes decisions for independent. */
  readonly p: number;
  /** The two never differ: p is 1 by convention, not by evidence. */
  readonly neverDiffer: boolean;
};

/**
 * Two-sided exact McNemar test: min(1, 2 * P(X <= min(b, c))), X binomial with n = b + c and 1/2 (McNemar 1947; as `exact=True` in statsmodels). 1 at b + c = 0,
 * which the caller flags. Summed in logarithms: 2^-n is below the smallest double from n = 1,075 on. The npm library's binomial cuts its tail at 1e-4.
 */
export function mcnemarExact(b: number, c: number): number {
  if (Math.abs(b - c) <= 1) return 1; // exactly: the two tails are everything
  const n = b + c;
  let logTerm = -n * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= Math.min(b, c); k += 1) {
    logTerm += Math.log((n - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}

/** Pairs counted so far. */
export type PairCounts = { pairs: number; b: number; c: number };

/** Counts one decision that both have an outcome of. */
export function countPair(counts: PairCounts, first: boolean, second: boolean): void {
  counts.pairs += 1;
  counts.b += Number(first && !second);
  counts.c += Number(!first && second);
}

/** Tests counted pairs. `planned`: all decisions, paired or not. */
export function pairedDifference({ pairs, b, c }: Readonly<PairCounts>, planned: number): PairedDifference {
  return { pairs, excluded: planned - pairs, b, c, difference: ratioOf(b - c, pairs), p: mcnemarExact(b, c), neverDiffer: b + c === 0 };
}
