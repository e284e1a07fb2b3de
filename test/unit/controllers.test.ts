/** Controllers: pure, total and blind, with the costs by condition that follow from guard-precision's totals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseId, Condition } from '../../contract/case.ts';
import { controllerNames, costOf, type Controller, type ControllerName, type ControllerView } from '../../contract/controller.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { Guard } from '../../contract/guard.ts';
import { randomStream } from '../../contract/random.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { developmentTemplates, parameters } from '../../guards/controllers/parameters.ts';
import { randomGate } from '../../guards/controllers/random-gate.ts';
import { signatureOf, StatusFamily, statusFamilyOf } from '../../guards/controllers/signature.ts';
import { supportOf, supportRouterOf, supportWeights } from '../../guards/controllers/support-router.ts';
import { SupportWeights } from '../../guards/controllers/support-weights.ts';
import { trainSupportRouter } from '../../guards/controllers/train-support-router.ts';
import { designs } from '../../scenarios/design.ts';
import { templates } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import { telemetryOf, type TelemetryProfile } from '../../scenarios/telemetry.ts';
import { ruledOutcomes } from '../support/ruled-outcomes.ts';

const context = { design: 'main', source: 'test', telemetryOf };
const view = (telemetry: ControllerView['telemetry'], said: Partial<ControllerView> = {}): ControllerView => ({ telemetry, confidence: null, agreement: null, draw: 0.5, ...said });
function named(name: ControllerName): Controller {
  const found = controllers.find((controller) => controller.name === name);
  if (found === undefined) throw new RangeError(name);
  return found;
}
const costs = (controller: Controller, profile: TelemetryProfile, said: Partial<ControllerView> = {}): number[] =>
  Condition.options.map((condition) => costOf(controller.decide(view(telemetryOf(condition, profile), said))));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const share = fc.oneof(fc.constant(null), fc.constantFrom(0, 0.95, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const word = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...StatusFamily.options, 'OK ', 'dispatch-timeout', 'constructor', '__proto__', ''));
const views: fc.Arbitrary<ControllerView> = fc.record({
  telemetry: fc.record({ ageMs: fc.oneof(fc.nat(10_000), fc.maxSafeNat()), previousStatus: word }),
  confidence: share, agreement: share, draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

test('every controller is there once, in the order of tables', () => {
  expect(controllers.map((controller) => controller.name)).toEqual(controllerNames);
});

describe.each(controllers)('$name', (controller) => {
  test('decides every view, the same way each time, with an action of the study', () => {
    fc.assert(fc.property(views, (any) => {
      const before = structuredClone(any);
      const action = controller.decide(any);
      expect(controller.decide(structuredClone(before))).toEqual(action);
      expect(any).toEqual(before);
      expect([0, 1, 4]).toContain(costOf(action));
      if (action.kind === 'commit') expect(Guard.parse(action.guard)).toEqual(action.guard);
    }));
  });

  test('looks at nothing but the view', () => {
    expect(controller.decide.length).toBeLessThanOrEqual(1);
    const allowed = ['telemetry', 'confidence', 'agreement', 'draw', 'ageMs', 'previousStatus'];
    const watched = <T extends object>(target: T): T => new Proxy(target, {
      get: (of, key) => {
        expect(allowed).toContain(key);
        const value: unknown = Reflect.get(of, key);
        return typeof value === 'object' && value !== null ? watched(value) : value;
      },
      ownKeys: () => { throw new Error('A controller lists what it was given.'); },
    });
    for (const condition of Condition.options) controller.decide(watched(view({ ...telemetryOf(condition) }, { confidence: 1, agreement: 1 })));
  });

  test('treats twins alike', () => {
    for (const { name } of templates)
      for (const condition of Condition.options) {
        const [even, odd] = [0, 1].map((instance) => planOf(caseId({ template: name, instance, condition })).telemetry);
        if (even === undefined || odd === undefined) throw new RangeError('A twin is missing.');
        expect(controller.decide(view(even))).toEqual(controller.decide(view(odd)));
      }
  });
});

describe('costs by condition: clean, stale, delayed, timeout, partial, concurrent', () => {
  test.each([
    ['always-execute', [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
    ['always-fast', [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]],
    ['always-strong', [4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4]],
    ['ttl-gate', [0, 4, 4, 4, 4, 4], [0, 4, 4, 4, 4, 0]],
    ['predicate-guard', [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]],
    ['evidence-router', [0, 1, 4, 4, 1, 1], [0, 1, 4, 4, 4, 0]],
    ['support-router', [0, 1, 4, 1, 1, 1], [0, 1, 4, 4, 4, 0]],
    ['always-escalate', [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
  ] as const)('%s', (name, canonical, degraded) => {
    expect(costs(named(name), 'canonical')).toEqual(canonical);
    expect(costs(named(name), 'degraded')).toEqual(degraded);
  });

  test('the means are those that guard-precision prints', () => {
    expect(mean(costs(named('evidence-router'), 'canonical'))).toBeCloseTo(1.833, 3);
    expect(mean(costs(named('evidence-router'), 'degraded'))).toBeCloseTo(2.167, 3);
    expect(mean(costs(named('support-router'), 'canonical'))).toBeCloseTo(1.333, 3);
  });
});

describe('gates', () => {
  const telemetry = telemetryOf('clean');
  test.each(['confidence-gate', 'agreement-gate'] as const)('%s buys strong evidence below its floor and where nothing was said', (name) => {
    const [floor, field] = name === 'confidence-gate' ? [parameters.confidenceFloor.value, 'confidence'] : [parameters.agreementFloor.value, 'agreement'];
    const cost = (said: number | null): number => costOf(named(name).decide(view(telemetry, { [field]: said })));
    expect([null, 0, floor - 1e-9, floor].map(cost)).toEqual([4, 4, 4, 0]);
  });

  test('the TTL is where a read is as old as it may be, and minimises expected loss in development', () => {
    const { ttlMs, lambdaU, lambdaF } = parameters;
    expect([ttlMs.value, ttlMs.value + 1].map((ageMs) => costOf(named('ttl-gate').decide(view({ ageMs, previousStatus: 'ok' }))))).toEqual([0, 4]);
    // Half of every family of faults is unsafe if executed. Failures after strong evidence are left out: a blocked goal may have been reached.
    const loss = (ttl: number): number => mean(Condition.options.map((condition) => {
      if (telemetryOf(condition).ageMs > ttl) return 4;
      return condition === 'clean' ? 0 : 0.5 * (lambdaU.value + lambdaF.value);
    }));
    for (const other of [0, ...Condition.options.map((condition) => telemetryOf(condition).ageMs)]) expect(loss(ttlMs.value)).toBeLessThanOrEqual(loss(other));
  });

  test('the random gate spends its share, whatever it sees', () => {
    const draws = randomStream(13, 'random-gate', 'test');
    const spent = (part: number): number => mean(Array.from({ length: 20_000 }, () => costOf(randomGate(part).decide(view(telemetry, { draw: draws.fraction() }))) / 4));
    expect(spent(0)).toBe(0);
    expect(spent(1)).toBe(1);
    expect(spent(0.25)).toBeCloseTo(0.25, 1);
    expect(parameters.randomGateShare.value * 4).toBeCloseTo(1.01, 9);
    for (const wrong of [-0.1, 1.1, Number.NaN]) expect(() => randomGate(wrong)).toThrow(RangeError);
  });
});

test('a guard is committed under as its name says', () => {
  const guardOf = (name: ControllerName): unknown => named(name).decide(view(telemetryOf('clean')));
  expect(guardOf('epoch-guard')).toEqual({ kind: 'commit', guard: { kind: 'epoch', without: [] } });
  expect(guardOf('version-guard')).toEqual({ kind: 'commit', guard: { kind: 'version', without: [] } });
  expect(guardOf('predicate-guard')).toEqual({ kind: 'commit', guard: { kind: 'predicate', without: [] } });
  for (const [name, clause] of [['status', 'status'], ['policy', 'policy'], ['integrity', 'integrity'], ['not-applied', 'notApplied']] as const)
    expect(guardOf(`predicate-without-${name}`)).toEqual({ kind: 'commit', guard: { kind: 'predicate', without: [clause] } });
});

describe('signatures', () => {
  test('a status word is normalised by case and white space only', () => {
    expect([' OK', 'Stale\n', 'dispatched', 'dispatch-timeout', 'upstream-reset', 'code-207', 'unknown', ''].map(statusFamilyOf)).toEqual(['ok', 'stale', 'dispatched', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown']);
  });

  test('a stale read of 6 s shares its bucket with one of 240 s', () => {
    expect(signatureOf(telemetryOf('stale-read', 'degraded'))).toEqual(signatureOf(telemetryOf('stale-read')));
    expect(signatureOf(telemetryOf('clean'))).toEqual({ ageBucket: 'fresh', status: 'ok' });
  });
});

describe('the evidence router', () => {
  const cost = (ageMs: number, previousStatus: string): number => costOf(named('evidence-router').decide(view({ ageMs, previousStatus })));
  test('executes on fresh and ordinary reads only', () => {
    expect([cost(400, 'ok'), cost(240_000, 'ok'), cost(400, 'dispatched'), cost(400, 'constructor')]).toEqual([0, 1, 4, 4]);
  });
});

describe('the support router', () => {
  const canonical = Condition.options.map((condition) => telemetryOf(condition));
  const degraded = Condition.options.map((condition) => telemetryOf(condition, 'degraded'));

  test('supports all of canonical telemetry and half of degraded', () => {
    expect(canonical.map((telemetry) => supportOf(supportWeights, telemetry) !== undefined)).toEqual([true, true, true, true, true, true]);
    expect(degraded.map((telemetry) => supportOf(supportWeights, telemetry) !== undefined)).toEqual([true, true, false, false, false, true]);
  });

  test('buys strong evidence wherever no cell is', () => {
    const router = supportRouterOf(supportWeights);
    fc.assert(fc.property(views, (any) => {
      if (supportOf(supportWeights, any.telemetry) === undefined) expect(costOf(router.decide(any))).toBe(4);
    }));
    for (const condition of Condition.options) expect(costOf(supportRouterOf({ ...supportWeights, cells: [] }).decide(view(telemetryOf(condition))))).toBe(4);
  });

  test.each(Condition.options)('a fit that never saw %s falls back to strong evidence there, and only there', (left) => {
    const router = supportRouterOf(trainSupportRouter(ruledOutcomes().filter((outcome) => outcome.condition !== left), context));
    const expected = costs(named('support-router'), 'canonical').map((cost, index) => (Condition.options[index] === left ? 4 : cost));
    expect(costs(router, 'canonical')).toEqual(expected);
  });

  test.each(['orders', 'billing', 'access', 'deployments'])('a fit that never saw the domain %s costs the same', (left) => {
    const router = supportRouterOf(trainSupportRouter(ruledOutcomes().filter((outcome) => outcome.domain !== left), context));
    expect(costs(router, 'canonical')).toEqual(costs(named('support-router'), 'canonical'));
  });

  test('the risk bound is included, and one unsafe commit more is too much', () => {
    const router = (unsafe: number): Controller => supportRouterOf({ ...supportWeights, cells: [
      { ageBucket: 'fresh', status: 'ok', n: 1_000, unsafeAfterExecute: 900, failedAfterExecute: 900, unsafeAfterFast: unsafe, failedAfterFast: 1_000, blockedAfterFast: 0 },
    ] });
    // Fast at the bound loses 5 + 10 + 1, strong 9.5 + 4: admissible is not yet chosen. At 20 in a thousand fast loses 13 and strong 13.8.
    expect([20, 50, 51].map((unsafe) => costOf(router(unsafe).decide(view(telemetryOf('clean')))))).toEqual([1, 4, 4]);
    const executing = (unsafe: number): Controller => supportRouterOf({ ...supportWeights, cells: [
      { ageBucket: 'fresh', status: 'ok', n: 1_000, unsafeAfterExecute: unsafe, failedAfterExecute: unsafe, unsafeAfterFast: 0, failedAfterFast: 1_000, blockedAfterFast: 1_000 },
    ] });
    expect([50, 51].map((unsafe) => costOf(executing(unsafe).decide(view(telemetryOf('clean')))))).toEqual([0, 1]);
  });
});

describe('the trainer', () => {
  const outcomes = ruledOutcomes();
  test('counts every development decision once, in the cell of its read', () => {
    const { cells, provenance } = trainSupportRouter(outcomes, context);
    expect(provenance).toMatchObject({ seeds: [13, 42, 2026], proposers: ['always-act'], telemetry: ['canonical'], decisions: 576 });
    expect(provenance.templates).toEqual([...developmentTemplates].sort());
    expect(cells.map((cell) => [cell.ageBucket, cell.status, cell.n, cell.unsafeAfterExecute, cell.unsafeAfterFast, cell.blockedAfterFast])).toEqual([
      ['fresh', 'ok', 96, 0, 0, 0],
      ['old', 'stale', 96, 48, 0, 48],
      ['old', 'partial', 96, 48, 0, 48],
      ['old', 'contended', 96, 48, 0, 48],
      ['old', 'dispatched', 96, 48, 48, 0],
      ['old', 'timeout', 96, 48, 0, 48],
    ]);
  });

  test('the weights in the repository are of development templates and canonical telemetry, and their counts follow from the reference\'s rules', () => {
    expect(supportWeights.cells).toEqual(trainSupportRouter(outcomes, context).cells);
    expect(supportWeights.provenance.templates).toEqual([...developmentTemplates].sort());
    expect(supportWeights.provenance).toMatchObject({ telemetry: ['canonical'], proposers: ['always-act'], decisions: 576 });
  });

  test('the order of outcomes does not matter, and other controllers and decisions without an action do not count', () => {
    const first = outcomes[0] as EvaluatedOutcome;
    const others: EvaluatedOutcome[] = [{ ...first, controller: 'always-strong', unsafe: true }, { ...first, seed: 7, action: 'none' }];
    expect(trainSupportRouter([...others, ...outcomes].reverse(), context)).toEqual(trainSupportRouter(outcomes, context));
  });

  test('a decision that was replayed once only, or twice by one controller, is an error', () => {
    expect(() => trainSupportRouter(outcomes.slice(1), context)).toThrow(/not replayed by both/);
    expect(() => trainSupportRouter([...outcomes, ...outcomes.slice(0, 1)], context)).toThrow(/twice/);
    expect(trainSupportRouter([], context).cells).toEqual([]);
  });

  test('weights that cannot be are refused', () => {
    const [cell] = supportWeights.cells;
    expect(SupportWeights.safeParse({ ...supportWeights, cells: [{ ...cell, unsafeAfterExecute: 97, failedAfterExecute: 97 }] }).success).toBe(false);
    expect(SupportWeights.safeParse({ ...supportWeights, cells: [{ ...cell, n: 0 }] }).success).toBe(false);
  });
});

test('development templates are two a domain, and where they exist their domain is as listed', () => {
  const domains = developmentTemplates.map((name) => templates.find((template) => template.name === name)?.domain);
  (['orders', 'billing', 'access', 'deployments'] as const).forEach((domain, index) => {
    for (const found of domains.slice(2 * index, 2 * index + 2)) expect([domain, undefined]).toContain(found);
  });
  expect(new Set(developmentTemplates).size).toBe(8);
  expect(designs.development.templates).toEqual(developmentTemplates);
});
