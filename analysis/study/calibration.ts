/** Whether a proposer's confidence says anything: AUROC, Brier score, ten-bin ECE (guard-precision, section on metrics). */
import { wilcoxonRankSum } from 'simple-statistics';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { measured, noValue, ratioOf, type Measure } from './value.ts';

/** A confidence from 0 to 1 and whether the action was right. */
export type Scored = { readonly confidence: number; readonly correct: boolean };

/** One bin: its bounds, how many it holds, and their means; null where it is empty. `low` is in it, `high` only in the last. */
export type ReliabilityBin = { readonly low: number; readonly high: number; readonly count: number; readonly confidence: number | null; readonly accuracy: number | null };

/** One proposer's calibration. `n` is the denominator of all of it. */
export type Calibration = { readonly n: number; readonly excluded: number; readonly correct: number; readonly auroc: Measure; readonly brier: Measure; readonly ece: Measure; readonly bins: readonly ReliabilityBin[] };

/** Of the outcomes of `always-execute`: those with an action and a confidence, right where executing it as it is was a safe success. The others are `excluded`. */
export function calibrationOf(executed: readonly EvaluatedOutcome[]): Calibration {
  const scored = executed.flatMap(({ answer, confidence, safeSuccess }) => (answer === 'act' && confidence !== null ? [{ confidence, correct: safeSuccess }] : []));
  const correct = scored.filter((one) => one.correct).length;
  return { n: scored.length, excluded: executed.length - scored.length, correct, auroc: auroc(scored), brier: brierScore(scored), ece: calibrationError(scored), bins: reliabilityBins(scored) };
}

/**
 * The chance that a right action has a higher confidence than a wrong one, a tie being half: (R - m(m+1)/2) / (m k) with R the rank sum of the m right ones,
 * ties by mid-rank, and k wrong ones (Hanley and McNeil 1982). Null: `single_class` where all are right or all wrong, `no_scores` for none.
 */
export function auroc(scored: readonly Scored[]): Measure {
  const right = scored.flatMap(({ confidence, correct }) => (correct ? [confidence] : []));
  const wrong = scored.flatMap(({ confidence, correct }) => (correct ? [] : [confidence]));
  if (scored.length === 0) return noValue('no_scores');
  if (right.length === 0 || wrong.length === 0) return noValue('single_class');
  return measured((wilcoxonRankSum(right, wrong) - (right.length * (right.length + 1)) / 2) / (right.length * wrong.length));
}

/** The mean of (confidence - 1 or 0)^2 over all scored actions (Brier 1950). Null, `no_scores`, for none. */
export function brierScore(scored: readonly Scored[]): Measure {
  if (scored.length === 0) return noValue('no_scores');
  return ratioOf(scored.reduce((sum, { confidence, correct }) => sum + (confidence - (correct ? 1 : 0)) ** 2, 0), scored.length);
}

/** The sum over ten equal bins of (count / n) * |accuracy - mean confidence| (Naeini, Cooper and Hauskrecht 2015). Null, `no_scores`, for none. */
export function calibrationError(scored: readonly Scored[]): Measure {
  if (scored.length === 0) return noValue('no_scores');
  return measured(reliabilityBins(scored).reduce((sum, { count, confidence, accuracy }) => sum + (count / scored.length) * Math.abs((accuracy ?? 0) - (confidence ?? 0)), 0));
}

/** Ten bins from 0 to 1, closed below, the last closed above too: a confidence of 1 has no bin of its own. */
export function reliabilityBins(scored: readonly Scored[]): readonly ReliabilityBin[] {
  const held = Array.from({ length: 10 }, (): Scored[] => []);
  for (const one of scored) held[Math.min(9, Math.floor(one.confidence * 10))]?.push(one);
  return held.map((inside, n) => ({
    low: n / 10, high: (n + 1) / 10, count: inside.length,
    confidence: ratioOf(inside.reduce((sum, { confidence }) => sum + confidence, 0), inside.length).value,
    accuracy: ratioOf(inside.filter(({ correct }) => correct).length, inside.length).value,
  }));
}
