/** The study's fold: decision by decision it gives what counting the whole list gives, in any order, and nothing counts twice. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byDecision } from '../../analysis/study/by-decision.ts';
import { decisionKey } from '../../analysis/study/cells.ts';
import { foldStudy } from '../../analysis/study/fold-study.ts';
import { outcomeLoss, paperPrices } from '../../analysis/study/loss.ts';
import { summarizeFold, summarizeInOrder, summarizeStudy, type StudySummary } from '../../analysis/study/summarize-study.ts';
import { runOnce } from '../../cli/evaluate/plan.ts';
import type { ControllerName } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { outcomeOf, referenceOutcomes } from '../support/study-outcomes.ts';

const resamples = 5;
const names = ['always-execute', 'version-guard', 'predicate-guard', 'evidence-router'] as const satisfies readonly ControllerName[];

const verdict = fc.record({ unsafe: fc.boolean(), safeSuccess: fc.boolean(), committed: fc.boolean(), cost: fc.constantFrom(0, 1, 4, 0.1, 0.7), isThere: fc.constantFrom(true, true, true, false) });
const decision = fc.record({
  template: fc.constantFrom('grant-role', 'cancel-order'), condition: fc.constantFrom('clean', 'stale-read', 'concurrent-mutation'), answer: fc.constantFrom('act', 'act', 'abstain'),
  confidence: fc.constantFrom(null, 0.1, 0.7, 0.85, 1), verdicts: fc.array(verdict, { minLength: names.length, maxLength: names.length }),
} as const);
/** Every decision's outcomes; a controller may lack one. */
const study = fc.array(decision, { minLength: 1, maxLength: 25 }).map((drawn) => drawn.map(({ verdicts, ...given }, seed) => verdicts.flatMap(({ isThere, ...own }, n): EvaluatedOutcome[] => {
  const controller = names[n] ?? 'always-execute';
  return isThere ? [outcomeOf({ ...given, ...own, controller, seed }, seed % 4)] : [];
})));

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The same figures counted on the whole list, without the fold. */
function expectAsCounted(summary: StudySummary, outcomes: readonly EvaluatedOutcome[]): void {
  const profile = summary.proposers[0]?.profiles.canonical;
  const decisions = new Set(outcomes.map(decisionKey)).size;
  const leastOn = (of: EvaluatedOutcome): number => Math.min(...outcomes.filter((other) => decisionKey(other) === decisionKey(of)).map((other) => outcomeLoss(other, paperPrices)));
  for (const name of names) {
    const own = outcomes.filter(({ controller }) => controller === name);
    const found = profile?.controllers[name];
    if (own.length === 0) { expect(found).toBeUndefined(); continue; }
    expect(found?.counts).toMatchObject({ decisions, unjudged: decisions - own.length, unsafe: own.filter(({ unsafe }) => unsafe).length, automated: own.filter(({ action }) => action !== 'none').length });
    expect(found?.counts.blocked.clean).toBe(own.filter(({ raceClass, answer, wrongArguments, committed }) => raceClass === 'clean' && answer === 'act' && !wrongArguments && !committed).length);
    expect(found?.meanCost.value).toBeCloseTo(mean(own.map(({ cost }) => cost)), 9);
    expect(found?.regret.value).toBeCloseTo(mean(own.map((outcome) => outcomeLoss(outcome, paperPrices) - leastOn(outcome))), 9);
  }
  const both = outcomes.flatMap((one) => (one.controller === 'predicate-guard' ? outcomes.filter((other) => other.controller === 'version-guard' && decisionKey(other) === decisionKey(one)).map((other) => [one, other] as const) : []));
  const compared = profile?.comparisons.find(({ first, second, metric }) => first === 'predicate-guard' && second === 'version-guard' && metric === 'unsafe');
  if (compared !== undefined) expect(compared).toMatchObject({ pairs: both.length, excluded: decisions - both.length, b: both.filter(([one, other]) => one.unsafe && !other.unsafe).length, c: both.filter(([one, other]) => !one.unsafe && other.unsafe).length });
  const scored = outcomes.filter(({ controller, answer, confidence }) => controller === 'always-execute' && answer === 'act' && confidence !== null);
  expect(summary.proposers[0]?.calibration).toMatchObject({ n: scored.length, correct: scored.filter(({ safeSuccess }) => safeSuccess).length });
  if (scored.length > 0) expect(summary.proposers[0]?.calibration.brier.value).toBeCloseTo(mean(scored.map(({ confidence, safeSuccess }) => ((confidence ?? 0) - Number(safeSuccess)) ** 2)), 9);
}

describe('decision by decision', () => {
  test('the figures are those that the whole list gives', () => {
    fc.assert(fc.property(study, (decisions) => { expectAsCounted(summarizeInOrder(decisions.flat(), { resamples }), decisions.flat()); }), { numRuns: 60 });
  });

  test('neither the order of decisions nor of a decision\'s outcomes shows in a byte, fractions included', () => {
    fc.assert(fc.property(study.chain((decisions) => fc.tuple(fc.constant(decisions), fc.shuffledSubarray(decisions, { minLength: decisions.length }))), ([decisions, shuffled]) => {
      const own = JSON.stringify(summarizeInOrder(decisions.flat(), { resamples }));
      expect(JSON.stringify(summarizeInOrder(shuffled.flatMap((of) => of.toReversed()), { resamples }))).toBe(own);
      expect(JSON.stringify(summarizeStudy(shuffled.flat().toReversed(), { resamples }))).toBe(own);
    }), { numRuns: 40 });
  });

  test('outcomes are asked for one decision at a time', () => {
    let made = 0;
    function* outcomes(): Generator<EvaluatedOutcome> {
      for (made = 1; made <= 6; made += 1) yield outcomeOf({ seed: Math.ceil(made / 2), controller: made % 2 === 0 ? 'version-guard' : 'epoch-guard' });
    }
    const seen = [...byDecision(outcomes())].map((own) => own.map(({ seed, controller }) => `${String(seed)} ${controller}`));
    expect(seen).toEqual([1, 2, 3].map((seed) => [`${String(seed)} epoch-guard`, `${String(seed)} version-guard`]));
    const [first] = byDecision(outcomes());
    expect(first).toHaveLength(2);
    expect(made).toBe(3); // one line further, which is where the decision was seen to end
  });

  test('a fold keeps no outcome', async () => {
    const fold = foldStudy();
    const held = Array.from({ length: 20 }, (_, seed) => {
      const own = names.map((controller) => outcomeOf({ controller, seed }));
      fold.add(own[0] ?? outcomeOf(), own);
      return own.map((outcome) => new WeakRef(outcome));
    }).flat();
    await setImmediate(); // what a weak reference was made of lives until the turn ends
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(held.filter((outcome) => outcome.deref() !== undefined)).toHaveLength(0);
    expect(summarizeFold(fold, { resamples }).proposers[0]?.json.decisions).toBe(20);
  });

  test('a decision that comes twice is refused, and so is a controller that comes twice on one', () => {
    const [one, other] = [outcomeOf({ seed: 1 }), outcomeOf({ seed: 2 })];
    expect(() => summarizeInOrder([one, other, { ...one, controller: 'version-guard' }])).toThrow(RangeError);
    expect(() => summarizeInOrder([one, other, { ...one, controller: 'version-guard' }])).toThrow('comes twice');
    expect(() => summarizeInOrder([one, one])).toThrow('Two outcomes of always-execute (canonical)');
    expect(() => summarizeInOrder([one, { ...one, telemetry: 'degraded' }, other], { resamples })).not.toThrow();
  });
});

describe('controllers that were run once for both profiles', () => {
  const reference = referenceOutcomes();
  const once = reference.filter(({ controller, telemetry }) => controller !== 'always-strong' || telemetry === 'canonical');

  test('count under both, as if they had been run twice', () => {
    expect(JSON.stringify(summarizeStudy(once, { resamples, runOnce: ['always-strong'] }))).toBe(JSON.stringify(summarizeStudy(reference, { resamples })));
    expect(Object.keys(summarizeStudy(once, { resamples }).proposers[0]?.pooledPriceSweep[0]?.losses ?? {})).toEqual(['evidence-router']);
    const pooled = summarizeStudy(once, { resamples, runOnce: runOnce(controllers, 'both') }).proposers[0]?.pooledPriceSweep ?? [];
    expect(Object.keys(pooled[0]?.losses ?? {})).toEqual(['always-execute', 'always-strong', 'epoch-guard', 'version-guard', 'predicate-guard', 'evidence-router', 'always-escalate']);
  });

  test('and a run of theirs on degraded telemetry beside it is refused', () => {
    expect(() => summarizeStudy(reference, { resamples, runOnce: ['always-strong'] })).toThrow('Two outcomes of always-strong');
  });

  test('are those that telemetry cannot move, and none where one profile was asked for', () => {
    expect(runOnce(controllers, 'both')).toEqual(controllers.map(({ name }) => name).filter((name) => !['ttl-gate', 'evidence-router', 'support-router'].includes(name)));
    expect([runOnce(controllers, 'canonical'), runOnce(controllers, 'degraded')]).toEqual([[], []]);
  });
});
