/** Whether a proposer's confidence says anything: AUROC, Brier score, ten-bin ECE (guard-precision, section on metrics). */
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { tallyUp, type Tally } from './tally.ts';
import { measured, noValue, ratioOf, type Measure } from './value.ts';

/** Executed actions by confidence, 0 to 1: how many were right, how many wrong. Models say few different confidences. */
export type Scores = { readonly right: Tally; readonly wrong: Tally };

/** One bin: its bounds, how many it holds, and their means; null where it is empty. `low` is in it, `high` only in the last. */
export type ReliabilityBin = { readonly low: number; readonly high: number; readonly count: number; readonly confidence: number | null; readonly accuracy: number | null };

/** One proposer's calibration. `n` is the denominator of all of it. */
export type Calibration = { readonly n: number; readonly excluded: number; readonly correct: number; readonly auroc: Measure; readonly brier: Measure; readonly ece: Measure; readonly bins: readonly ReliabilityBin[] };

/** What is kept of a proposer's outcomes under `always-execute`. `excluded`: those without an action or a confidence. */
export type CalibrationCounts = Scores & { excluded: number };

/** Counts one more: right where executing the action as it is was a safe success. */
export function countConfidence(counts: CalibrationCounts, { answer, confidence, safeSuccess }: EvaluatedOutcome): void {
  if (answer === 'act' && confidence !== null) tallyUp(safeSuccess ? counts.right : counts.wrong, confidence);
  else counts.excluded += 1;
}

/** The calibration of what was counted. */
export function calibrationOf(counts: Readonly<CalibrationCounts>): Calibration {
  const levels = levelsOf(counts);
  return { n: sum(levels, size), excluded: counts.excluded, correct: sum(levels, ({ right }) => right), auroc: auroc(counts), brier: brierScore(counts), ece: calibrationError(counts), bins: reliabilityBins(counts) };
}

/**
 * The chance that a right action has a higher confidence than a wrong one, a tie being half (Hanley and McNeil 1982): pairs in that order / pairs of a right and
 * a wrong one. Null: `single_class` where all are right or all wrong, `no_scores` for none. From counts, because the library's rank sum takes every score by itself.
 */
export function auroc(scores: Scores): Measure {
  const levels = levelsOf(scores);
  const [allRight, allWrong] = [sum(levels, ({ right }) => right), sum(levels, ({ wrong }) => wrong)];
  if (levels.length === 0) return noValue('no_scores');
  if (allRight === 0 || allWrong === 0) return noValue('single_class');
  let [wins, wrongBelow] = [0, 0];
  for (const { right, wrong } of levels) {
    wins += right * (wrongBelow + wrong / 2);
    wrongBelow += wrong;
  }
  return measured(wins / (allRight * allWrong));
}

/** The mean of (confidence - 1 or 0)^2 over all scored actions (Brier 1950). Null, `no_scores`, for none. */
export function brierScore(scores: Scores): Measure {
  const levels = levelsOf(scores);
  if (levels.length === 0) return noValue('no_scores');
  return ratioOf(sum(levels, ({ confidence, right, wrong }) => right * (confidence - 1) ** 2 + wrong * confidence ** 2), sum(levels, size));
}

/** The sum over ten equal bins of (count / n) * |accuracy - mean confidence| (Naeini, Cooper and Hauskrecht 2015). Null, `no_scores`, for none. */
export function calibrationError(scores: Scores): Measure {
  const n = sum(levelsOf(scores), size);
  if (n === 0) return noValue('no_scores');
  return measured(sum(reliabilityBins(scores), ({ count, confidence, accuracy }) => (count / n) * Math.abs((accuracy ?? 0) - (confidence ?? 0))));
}

/** Ten bins from 0 to 1, closed below, the last closed above too: a confidence of 1 has no bin of its own. */
export function reliabilityBins(scores: Scores): readonly ReliabilityBin[] {
  const held = Array.from({ length: 10 }, (): Level[] => []);
  for (const level of levelsOf(scores)) held[Math.min(9, Math.floor(level.confidence * 10))]?.push(level);
  return held.map((inside, n) => {
    const count = sum(inside, size);
    const confidences = sum(inside, (level) => size(level) * level.confidence);
    return { low: n / 10, high: (n + 1) / 10, count, confidence: ratioOf(confidences, count).value, accuracy: ratioOf(sum(inside, ({ right }) => right), count).value };
  });
}

type Level = { readonly confidence: number; readonly right: number; readonly wrong: number };

/** Each confidence once, the least first: floating sums are the same for any order of lines. */
function levelsOf({ right, wrong }: Scores): readonly Level[] {
  const confidences = [...new Set([...right.keys(), ...wrong.keys()])].sort((one, other) => one - other);
  return confidences.map((confidence) => ({ confidence, right: right.get(confidence) ?? 0, wrong: wrong.get(confidence) ?? 0 }));
}

const size = ({ right, wrong }: Level): number => right + wrong;

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((all, item) => all + of(item), 0);
}
