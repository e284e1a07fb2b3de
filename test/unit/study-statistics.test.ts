/** The study's statistics against published and hand-checked values (troubles, entries 26 and 27 (a)): undefined is null with a reason, never NaN, 0 or 0.5. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bootstrapIntervals } from '../../analysis/study/bootstrap.ts';
import { auroc, brierScore, calibrationError, calibrationOf, countConfidence, reliabilityBins, type CalibrationCounts } from '../../analysis/study/calibration.ts';
import { countPair, mcnemarExact, pairedDifference, type PairedDifference } from '../../analysis/study/paired.ts';
import { summarizeStudy } from '../../analysis/study/summarize-study.ts';
import { wilsonInterval } from '../../analysis/study/wilson.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { outcomeOf } from '../support/study-outcomes.ts';

const counted = (outcomes: readonly EvaluatedOutcome[]): CalibrationCounts => {
  const counts: CalibrationCounts = { excluded: 0, right: new Map(), wrong: new Map() };
  for (const outcome of outcomes) countConfidence(counts, outcome);
  return counts;
};
const scored = (...pairs: readonly (readonly [number, boolean])[]): CalibrationCounts => counted(pairs.map(([confidence, safeSuccess]) => outcomeOf({ confidence, safeSuccess })));
const bounds = (successes: number, n: number): string => { const { low, high } = wilsonInterval(successes, n); return `${String(low?.toFixed(4))} ${String(high?.toFixed(4))}`; };

describe('Wilson', () => {
  test('the intervals of Newcombe 1998 (table I, method 3) and of entry 26 come out', () => {
    expect(bounds(81, 263)).toBe('0.2553 0.3662');
    expect(bounds(15, 148)).toBe('0.0624 0.1605');
    expect(bounds(1, 29)).toBe('0.0061 0.1718');
    expect(bounds(0, 20)).toBe('0.0000 0.1611');
    expect(bounds(20, 20)).toBe('0.8389 1.0000');
    expect(wilsonInterval(0, 0)).toEqual({ low: null, high: null, reason: 'no_decisions' });
  });

  test('for every n to 500 none and all stay inside 0 to 1, with their ends exact', () => {
    for (let n = 1; n <= 500; n += 1) {
      expect(wilsonInterval(0, n).low).toBe(0);
      expect(wilsonInterval(n, n).high).toBe(1);
      expect(wilsonInterval(0, n).high).toBeLessThan(1);
      expect(wilsonInterval(n, n).low).toBeGreaterThan(0);
    }
  });

  test('any interval holds its share, lies in 0 to 1 and mirrors that of the failures', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 500 }).chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n))), ([successes, n]) => {
      const [own, mirror] = [wilsonInterval(successes, n), wilsonInterval(n - successes, n)];
      expect(own.low).toBeGreaterThanOrEqual(0);
      expect(own.low).toBeLessThanOrEqual(successes / n);
      expect(own.high).toBeGreaterThanOrEqual(successes / n);
      expect(own.high).toBeLessThanOrEqual(1);
      expect(1 - (mirror.high ?? 0)).toBeCloseTo(own.low ?? -1, 12);
    }));
  });
});

describe('calibration', () => {
  test('a confidence of 1 belongs to the last bin: 0.475, not 0.525', () => {
    expect(calibrationError(scored([0.95, true], [1, false])).value).toBeCloseTo(0.475, 12);
  });

  test('each tenth opens its own bin, and 0 the first', () => {
    const bins = reliabilityBins(scored(...Array.from({ length: 11 }, (_, tenth) => [tenth / 10, true] as const)));
    expect(bins.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    expect(calibrationError(scored([0, false], [0, true])).value).toBe(0.5);
    expect(reliabilityBins(scored())[3]).toEqual({ low: 0.3, high: 0.4, count: 0, confidence: null, accuracy: null });
  });

  test('AUROC: one class has none, equal scores give 0.5, ties count half', () => {
    expect(auroc(scored([0.2, true], [0.9, true]))).toEqual({ value: null, reason: 'single_class' });
    expect(auroc(scored([0.2, false]))).toEqual({ value: null, reason: 'single_class' });
    expect(auroc(scored())).toEqual({ value: null, reason: 'no_scores' });
    expect(auroc(scored([0.7, true], [0.7, false], [0.7, false]))).toEqual({ value: 0.5, reason: null });
    // The example of scikit-learn's roc_auc_score.
    expect(auroc(scored([0.1, false], [0.4, false], [0.35, true], [0.8, true])).value).toBe(0.75);
  });

  test('AUROC is the share of pairs in the right order, a tie being half', () => {
    const some = fc.array(fc.integer({ min: 0, max: 10 }).map((tenth) => tenth / 10), { minLength: 1, maxLength: 30 });
    fc.assert(fc.property(some, some, (right, wrong) => {
      const wins = right.flatMap((one) => wrong.map((other) => (one > other ? 1 : one === other ? 0.5 : 0))).reduce((sum: number, win) => sum + win, 0);
      expect(auroc(scored(...right.map((confidence) => [confidence, true] as const), ...wrong.map((confidence) => [confidence, false] as const))).value).toBeCloseTo(wins / (right.length * wrong.length), 12);
    }));
  });

  test('Brier: the example of scikit-learn, and none for none', () => {
    expect(brierScore(scored([0.1, false], [0.9, true], [0.8, true], [0.3, false])).value).toBeCloseTo(0.0375, 12);
    expect(brierScore(scored())).toEqual({ value: null, reason: 'no_scores' });
    expect(calibrationError(scored())).toEqual({ value: null, reason: 'no_scores' });
  });

  test('abstentions and proposals without a confidence are excluded and counted', () => {
    const outcomes = [outcomeOf({ confidence: 0.9 }), outcomeOf({ confidence: 0.9, safeSuccess: false, unsafe: true }), outcomeOf({ answer: 'abstain', confidence: 0.2 }), outcomeOf()];
    expect(calibrationOf(counted(outcomes))).toMatchObject({ n: 2, excluded: 2, correct: 1, auroc: { value: 0.5 } });
  });
});

describe('McNemar', () => {
  const marked = (marks: string, controller: EvaluatedOutcome['controller']): EvaluatedOutcome[] => Array.from(marks).map((mark, n) => outcomeOf({ controller, unsafe: mark === 'u' }, n));
  const compared = (first: string, second: string): PairedDifference | undefined => {
    const { proposers } = summarizeStudy([...marked(first, 'version-guard'), ...marked(second, 'epoch-guard')], { resamples: 1 });
    return proposers[0]?.profiles.canonical.comparisons.find((of) => of.first === 'version-guard' && of.second === 'epoch-guard' && of.metric === 'unsafe');
  };

  test('Armitage and Berry 1994, p. 127: 12 against 2 give 0.0129; 12 against 5 give 0.1435', () => {
    expect(mcnemarExact(12, 2).toFixed(4)).toBe('0.0129');
    expect(mcnemarExact(5, 12).toFixed(4)).toBe('0.1435');
    expect(mcnemarExact(0, 5)).toBeCloseTo(2 / 2 ** 5, 15);
  });

  test('it is symmetric, at most 1, and finite for as many differences as the design has', () => {
    fc.assert(fc.property(fc.nat(2000), fc.nat(2000), (b, c) => {
      expect(mcnemarExact(b, c)).toBe(mcnemarExact(c, b));
      expect(mcnemarExact(b, c)).toBeLessThanOrEqual(1);
      expect(mcnemarExact(b, c)).toBeGreaterThanOrEqual(0);
    }), { numRuns: 50 });
    // A normal approximation with continuity: z = (1050 - 0.5 - 1000) / sqrt(500) = 2.2137 for 2,000 tosses, two-sided 0.0268.
    expect(mcnemarExact(950, 1050)).toBeCloseTo(0.0268, 3);
  });

  test('two controllers that never differ have p 1, flagged', () => {
    expect(compared('u.u.', 'u.u.')).toMatchObject({ pairs: 4, excluded: 0, b: 0, c: 0, difference: { value: 0, reason: null }, p: 1, neverDiffer: true });
  });

  test('decisions pair by key, and those without a partner are excluded', () => {
    expect(compared('uu..u', '.u.u')).toMatchObject({ pairs: 4, excluded: 1, b: 1, c: 1, p: 1, neverDiffer: false });
    const counts = { pairs: 0, b: 0, c: 0 };
    expect(pairedDifference(counts, 3)).toMatchObject({ pairs: 0, excluded: 3, difference: { value: null, reason: 'no_decisions' } });
    countPair(counts, true, false);
    expect(pairedDifference(counts, 3)).toMatchObject({ pairs: 1, excluded: 2, b: 1, c: 0 });
  });
});

describe('the clustered bootstrap', () => {
  type Cluster = readonly number[];
  const total = (items: Cluster): number => items.reduce((sum, one) => sum + one, 0);
  const mean = (drawn: readonly Cluster[]): number => total(drawn.map(total)) / total(drawn.map(({ length }) => length));
  const repeats = (value: number): Cluster => Array.from({ length: 50 }, () => value);
  const intervalOf = (items: readonly Cluster[], seed = 13): ReturnType<typeof bootstrapIntervals<Cluster, 'mean'>>['mean'] => bootstrapIntervals({ items, sizeOf: ({ length }) => length }, { mean }, { seed, label: 'test', resamples: 1000 }).mean;

  test('10 scenarios of 50 repeats, half of them always 1: half width about 0.31, not 0.044', () => {
    const { low, high, clusters, observations } = intervalOf([0, 1, 0, 1, 0, 1, 0, 1, 0, 1].map(repeats));
    expect((high ?? 0) - (low ?? 0)).toBeGreaterThan(2 * 0.26);
    expect((high ?? 0) - (low ?? 0)).toBeLessThan(2 * 0.36);
    expect({ clusters, observations }).toEqual({ clusters: 10, observations: 500 });
  });

  test('a cluster that is drawn twice counts twice', () => {
    const drawn: string[] = [];
    bootstrapIntervals({ items: ['A', 'B', 'C'], sizeOf: () => 1 }, { seen: (items) => { drawn.push([...items].sort().join('')); return 0; } }, { seed: 13, label: 'test', resamples: 500 });
    // All ten multisets of three out of three, with the chances 1/27, 3/27 and 6/27.
    expect(new Set(drawn)).toEqual(new Set(['AAA', 'AAB', 'AAC', 'ABB', 'ABC', 'ACC', 'BBB', 'BBC', 'BCC', 'CCC']));
    expect(drawn.filter((one) => one === 'AAB').length / 500).toBeCloseTo(3 / 27, 1);
    expect(drawn.filter((one) => one === 'ABC').length / 500).toBeCloseTo(6 / 27, 1);
    expect(mean([[1, 1], [1, 1], [0, 0]])).toBeCloseTo(2 / 3, 12);
  });

  test('one cluster has no interval, none neither, and 30 equal values have one of no width', () => {
    expect(intervalOf([repeats(1)])).toEqual({ low: null, high: null, reason: 'too_few_clusters', clusters: 1, observations: 50, resamples: 0 });
    expect(intervalOf([])).toMatchObject({ low: null, reason: 'too_few_clusters', clusters: 0, observations: 0 });
    expect(intervalOf(Array.from({ length: 30 }, () => [0.3]))).toMatchObject({ high: intervalOf(Array.from({ length: 30 }, () => [0.3])).low, reason: null, clusters: 30, observations: 30 });
    const never = bootstrapIntervals({ items: [1, 2], sizeOf: () => 1 }, { never: () => null }, { seed: 13, label: 'test' });
    expect(never.never).toMatchObject({ low: null, reason: 'no_decisions', resamples: 0 });
  });

  test('a seed gives the same interval again, inside the range of the clusters; another seed another', () => {
    const clusters = fc.array(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 8 });
    fc.assert(fc.property(clusters, fc.integer(), (items, seed) => {
      const first = intervalOf(items, seed);
      expect(intervalOf(items, seed)).toEqual(first);
      const means = items.map((item) => mean([item]));
      expect(first.low).toBeGreaterThanOrEqual(Math.min(...means));
      expect(first.high).toBeLessThanOrEqual(Math.max(...means));
    }), { numRuns: 10 });
    const varied = Array.from({ length: 12 }, (_, n) => [n, n * n]);
    expect(intervalOf(varied, 7)).not.toEqual(intervalOf(varied, 8));
  });
});
