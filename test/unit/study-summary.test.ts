/** The study's summary: every planned decision stays in the denominator, the reference's losses follow from its counts, and nothing is ever NaN. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rateNamed } from '../../analysis/study/counts.ts';
import { worstGroup } from '../../analysis/study/groups.ts';
import { expectedLoss, lossTerms, outcomeLoss, paperPrices, sweepPremium, sweepPrices } from '../../analysis/study/loss.ts';
import { holdOutTemplates, leaveOneDomainOut, leaveOneFaultOut } from '../../analysis/study/splits.ts';
import { summarizeStudy } from '../../analysis/study/summarize-study.ts';
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { outcomeOf, referenceOutcomes } from '../support/study-outcomes.ts';

const resamples = 50;
const reference = referenceOutcomes();
const summary = summarizeStudy(reference, { resamples });
const canonical = summary.proposers[0]?.profiles.canonical;
const terms = new Map(Object.entries(canonical?.controllers ?? {}).map(([name, { counts }]) => [name as ControllerName, lossTerms(counts)] as const));

/** Every number in it is finite, and a value is null exactly where a reason says why. */
function expectNoNaN(value: unknown): void {
  expect(offendersIn(value, '')).toEqual([]);
}

function offendersIn(value: unknown, path: string): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  const odd = 'reason' in value && 'value' in value && (value.reason === null) === (value.value === null) ? [path] : [];
  return [...odd, ...Object.entries(value).flatMap(([key, part]) => offendersIn(part, `${path}/${key}`))];
}

describe('the denominator (entry 25)', () => {
  test('20 planned with 4 model failures, a killed worker and an unknown end are 20, and the two unjudged ones widen the rate to a bound', () => {
    const planned = Array.from({ length: 20 }, (_, n) => outcomeOf({}, n));
    const outcomes = planned.slice(0, 18).map((outcome, n): EvaluatedOutcome => {
      if (n < 14) return n < 2 ? { ...outcome, unsafe: true, safeSuccess: false } : outcome;
      return { ...outcome, answer: 'failed', action: 'none', committed: false, safeSuccess: false, blockedBy: 'no_proposal' };
    });
    const [proposer] = summarizeStudy(outcomes, { planned, resamples }).proposers;
    expect(proposer?.answers).toEqual({ act: 14, abstain: 0, failed: 4, missing: 2 });
    expect(proposer?.profiles.canonical.controllers['always-execute']?.rates.unsafe).toMatchObject({ numerator: 2, denominator: 20, excluded: 0, unjudged: 2, value: 0.1, highest: 0.2, reason: null });
    expect(proposer?.profiles.canonical.controllers['always-execute']?.rates.blockedClean).toMatchObject({ numerator: 0, denominator: 20 });
    expect(proposer?.json).toMatchObject({ decisions: 20, controllers: { 'always-execute': { unsafe: 2, safeSuccess: 12 } } });
  });

  test('where all fail the summary is still made, without NaN', () => {
    const outcomes = Array.from({ length: 20 }, (_, n) => outcomeOf({ answer: 'failed', action: 'none', committed: false, safeSuccess: false }, n));
    const failed = summarizeStudy(outcomes, { resamples });
    expectNoNaN(failed);
    expect(failed.proposers[0]?.profiles.canonical.controllers['always-execute']?.rates.safeSuccess).toMatchObject({ numerator: 0, denominator: 20, value: 0 });
    expect(failed.proposers[0]?.calibration).toMatchObject({ n: 0, excluded: 20, auroc: { value: null, reason: 'no_scores' } });
  });

  test('nothing at all, and plans without any outcome, give a summary without NaN', () => {
    expect(summarizeStudy([])).toMatchObject({ proposers: [], macro: { proposers: 0 } });
    expectNoNaN(summarizeStudy([]));
    const silent = summarizeStudy([], { planned: [outcomeOf({ proposer: 'silent' })] });
    expect(silent.proposers[0]).toMatchObject({ proposer: 'silent', json: { decisions: 1, controllers: {}, routers: { canonical: null, degraded: null } } });
    expectNoNaN(silent);
  });

  test('a decision that one controller lacks is unjudged there and not left out', () => {
    const [first, second] = [outcomeOf({}, 1), outcomeOf({}, 3)];
    const { proposers } = summarizeStudy([first, second, { ...first, controller: 'predicate-guard', action: 'guard', cost: 1 }], { resamples });
    expect(proposers[0]?.profiles.canonical.controllers['predicate-guard']).toMatchObject({ counts: { decisions: 2, unjudged: 1 }, rates: { safeSuccess: { numerator: 1, denominator: 2, highest: 1 } }, meanCost: { value: 1 } });
  });

  test('an outcome that is there twice is refused', () => {
    expect(() => summarizeStudy([outcomeOf(), outcomeOf()])).toThrow('Two outcomes of always-execute');
  });
});

describe('the reference', () => {
  test('its losses follow from its counts, at three decimals', () => {
    expect(terms.size).toBe(7);
    const loss = (name: 'predicate-guard' | 'always-strong' | 'version-guard' | 'epoch-guard'): string | undefined => { const own = terms.get(name); return own && expectedLoss(own, paperPrices).value?.toFixed(3); };
    expect([loss('predicate-guard'), loss('always-strong'), loss('version-guard'), loss('epoch-guard')]).toEqual(['3.344', '6.344', '6.677', '7.510']);
  });

  test('the form of evaluate --json holds its counts', () => {
    expect(summary.proposers[0]?.json).toMatchObject({
      decisions: 1152, raceClasses: { invalidating: 480, preserving: 384, irrelevant: 96, clean: 192 },
      controllers: {
        'always-execute': { unsafe: 480, safeSuccess: 672, wrongEffect: 0, blockedPreserving: 0, blockedIrrelevant: 0, blockedClean: 0, meanCost: 0 },
        'epoch-guard': { unsafe: 0, safeSuccess: 402, blockedPreserving: 384, blockedIrrelevant: 96, blockedClean: 0, meanCost: 1, expectedLoss: 7.51 },
        'version-guard': { unsafe: 0, safeSuccess: 498, blockedPreserving: 384, blockedIrrelevant: 0, blockedClean: 0, meanCost: 1, expectedLoss: 6.677 },
        'predicate-guard': { unsafe: 0, safeSuccess: 882, blockedPreserving: 0, blockedIrrelevant: 0, blockedClean: 0, meanCost: 1, expectedLoss: 3.344 },
        'always-strong': { unsafe: 0, safeSuccess: 882, meanCost: 4, expectedLoss: 6.344 },
      },
      routers: {
        canonical: { meanCost: 1.833, unsafe: 0, costByCondition: { 'clean': 0, 'stale-read': 1, 'delayed-visibility': 4, 'timeout-after-commit': 4, 'partial-success': 1, 'concurrent-mutation': 1 } },
        degraded: { meanCost: 2.167, unsafe: 96, costByCondition: { 'clean': 0, 'stale-read': 1, 'delayed-visibility': 4, 'timeout-after-commit': 4, 'partial-success': 4, 'concurrent-mutation': 0 } },
      },
    });
  });

  test('the semantic check may cost four times a version comparison before strong verification is as good', () => {
    const { points, breakEvenStrong, breakEvenVersion } = sweepPremium(terms, paperPrices);
    expect(points.map(({ predicate }) => predicate.value?.toFixed(3))).toEqual(['3.344', '3.844', '4.344', '4.844', '5.344', '5.844', '6.344']);
    expect(breakEvenStrong.value).toBeCloseTo(4, 12);
    expect(breakEvenVersion.value).toBeCloseTo(1 + 384 * 10 / 1152, 12);
    expect(sweepPremium(new Map(), paperPrices)).toMatchObject({ breakEvenStrong: { value: null, reason: 'no_outcomes' } });
  });

  test('among pre-commit policies the best depends on the unsafe cost; guards are none of them', () => {
    const sweep = sweepPrices(terms);
    expect(sweep).toHaveLength(14);
    expect(sweep.map(({ lambdaU }) => lambdaU)).toEqual([10, 25, 50, 100, 150, 200, 250, 10, 25, 50, 100, 150, 200, 250]);
    for (const { best } of sweep) expect(best).toHaveLength(1);
    expect(sweep.find(({ lambdaU, lambdaF }) => lambdaU === 100 && lambdaF === 10)?.best).toEqual(['evidence-router']);
    expect(sweepPrices(new Map([...terms].filter(([name]) => name.endsWith('guard'))))[0]?.best).toEqual([]);
  });

  test('with both telemetry profiles the router is best at an unsafe cost of 25, strong verification from 100 to 250, as the text says', () => {
    for (const sweep of [summary.proposers[0]?.pooledPriceSweep ?? [], summary.macro.pooledPriceSweep]) {
      const best = sweep.filter(({ lambdaF }) => lambdaF === 10).map((point) => [point.lambdaU, point.best[0]]);
      expect(Object.fromEntries(best)).toMatchObject({ 25: 'evidence-router', 100: 'always-strong', 150: 'always-strong', 200: 'always-strong', 250: 'always-strong' });
    }
  });

  test('the worst group and the interval that resamples templates', () => {
    const executed = summary.proposers[0]?.profiles.canonical.controllers['always-execute'];
    expect(executed?.worstDomain).toMatchObject({ group: 'access', unsafe: { numerator: 120, denominator: 288 } });
    expect(executed?.worstTemplate).toMatchObject({ group: 'template-a', unsafe: { numerator: 30, denominator: 72 } });
    expect(executed?.rates.unsafe).toMatchObject({ clustered: { clusters: 16, observations: 1152, reason: null } });
    expect(executed?.rates.unsafe.clustered.low).toBeCloseTo(480 / 1152, 12);
    expect(worstGroup(new Map())).toBeNull();
  });

  test('the guard that commits what is safe and spends least has the least regret, and no regret is negative', () => {
    // The oracle executes wherever that is safe and escalates elsewhere, at no cost: only 270 missed successes remain.
    expect(canonical?.oracleLoss.value).toBeCloseTo(10 * 270 / 1152, 12);
    expect(canonical?.controllers['predicate-guard']?.regret.value).toBeCloseTo(1, 12);
    expect(canonical?.controllers['always-strong']?.regret.value).toBeCloseTo(4, 12);
    for (const one of Object.values(canonical?.controllers ?? {})) expect(one.regret.value).toBeGreaterThanOrEqual(0);
  });

  test('paired differences: the predicate guard never loses a success that the version guard has', () => {
    const comparisons = summary.proposers[0]?.profiles.canonical.comparisons ?? [];
    expect(comparisons.find(({ first, second, metric }) => first === 'predicate-guard' && second === 'version-guard' && metric === 'safeSuccess')).toMatchObject({ pairs: 1152, excluded: 0, b: 384, c: 0, neverDiffer: false });
    expect(comparisons.find(({ second, metric }) => second === 'always-strong' && metric === 'unsafe')).toMatchObject({ b: 0, c: 0, p: 1, neverDiffer: true });
  });
});

describe('the summary', () => {
  const abstaining = referenceOutcomes('cautious').map((outcome): EvaluatedOutcome => (outcome.condition === 'clean' ? { ...outcome, answer: 'abstain', action: 'none', committed: false, safeSuccess: false } : outcome));

  test('has each proposer first and their unweighted mean last, sweeps of it too', () => {
    const { proposers, macro } = summarizeStudy([...abstaining, ...reference], { resamples });
    expect(proposers.map(({ proposer }) => proposer)).toEqual(['always-act', 'cautious']);
    expect(macro.proposers).toBe(2);
    expect(macro.profiles.canonical.controllers['predicate-guard']?.rates.safeSuccess.value).toBeCloseTo((882 + 690) / 2 / 1152, 12);
    expect(macro.profiles.canonical.controllers['predicate-guard']?.expectedLoss.value).toBeCloseTo(1 + 10 * (1 - (882 + 690) / 2 / 1152), 12);
    expect(macro.profiles.canonical.premiumSweep.breakEvenStrong.value).toBeCloseTo(4, 12);
    expect(Object.keys(macro.profiles.degraded.controllers)).toEqual(['always-strong', 'evidence-router']);
    expect(proposers[1]?.profiles.canonical.controllers['always-escalate']?.rates).toMatchObject({ blockedClean: { numerator: 0, denominator: 192, excluded: 960 }, escalation: { numerator: 960, denominator: 1152 }, automation: { numerator: 0 } });
  });

  test('is the same bytes for any order of outcomes, and holds no NaN', () => {
    const outcomes = [...abstaining, ...reference].map((outcome, n) => ({ ...outcome, confidence: (outcome.caseId.length * 7 + outcome.seed) % 11 / 10, duplicates: n % 2 }));
    const own = summarizeStudy(outcomes, { resamples });
    expect(JSON.stringify(summarizeStudy(outcomes.toReversed(), { resamples }))).toBe(JSON.stringify(own));
    expect(own.macro.profiles.canonical.premiumSweep.breakEvenStrong.value).toBeCloseTo(4, 12);
    expectNoNaN(own);
  });

  test('of any outcomes: the mean of their losses is the expected loss, and escalated, automated, idle and unjudged add up', () => {
    const some = fc.record({ unsafe: fc.boolean(), safeSuccess: fc.boolean(), committed: fc.boolean(), cost: fc.integer({ min: 0, max: 4 }), action: fc.constantFrom('execute', 'escalate', 'none'), twin: fc.constantFrom('clean', 'hazardous', 'benign') } as const);
    fc.assert(fc.property(fc.array(some, { minLength: 1, maxLength: 40 }), (drawn) => {
      const outcomes = drawn.map((given, n) => outcomeOf({ ...given, condition: 'stale-read', seed: n }, 2));
      const counts = summarizeStudy(outcomes, { resamples: 1 }).proposers[0]?.profiles.canonical.controllers['always-execute']?.counts;
      if (counts === undefined) throw new RangeError('No counts.');
      expect(expectedLoss(lossTerms(counts), paperPrices).value).toBeCloseTo(outcomes.reduce((sum, one) => sum + outcomeLoss(one, paperPrices), 0) / outcomes.length, 9);
      expect(counts.escalated + counts.automated + outcomes.filter(({ action }) => action === 'none').length).toBe(rateNamed('unsafe', counts).denominator);
      expect(Object.values(counts.races).reduce((sum, one) => sum + one, 0)).toBe(counts.decisions);
    }));
  });
});

describe('splits', () => {
  test('hold-outs part the list without overlap; clean is never the fault that is left out', () => {
    const faults = leaveOneFaultOut(reference);
    expect(faults.map(({ heldOut }) => heldOut)).toEqual(['stale-read', 'delayed-visibility', 'timeout-after-commit', 'partial-success', 'concurrent-mutation']);
    const all = [...faults, ...leaveOneDomainOut(reference), holdOutTemplates(reference, ['template-a', 'template-e'])];
    expect(all).toHaveLength(10);
    const positions = reference.map((_, position) => position).join();
    for (const { fit, test: tried } of all) expect([...fit, ...tried].sort((a, b) => a - b).join()).toBe(positions);
    expect(all[9]?.test).toHaveLength(reference.length / 8);
    expect(new Set(faults[4]?.fit.map((position) => reference[position]?.condition))).toEqual(new Set(['clean', 'stale-read', 'delayed-visibility', 'timeout-after-commit', 'partial-success']));
    expect(leaveOneDomainOut([])).toEqual([]);
  });
});
