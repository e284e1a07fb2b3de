/** Counts of a run: every planned episode stays in the denominator, proposals count once for all guards, nothing is ever NaN. */
import { describe, expect, test } from 'vitest';
import type { Decision, FirstProposal } from '../../analysis/decision.ts';
import { isAllFailed, summarize, worthOpening } from '../../analysis/summary.ts';
import { markdownTable, textTable } from '../../analysis/table.ts';
import { caseId, twinOf, type Condition } from '../../contract/case.ts';
import { GuardKind } from '../../contract/guard.ts';
import type { EpisodeClass } from '../../contract/outcome.ts';

const act: FirstProposal = { kind: 'act', tool: 't', arguments: {}, confidence: null, replyDigest: 'd', wrongArguments: false };
const safe = { committed: true, unsafe: false, duplicates: 0, diffExact: true, safeSuccess: true, wrongEffect: false, blockedBenign: false, integrity: 'sound', failedClauses: [] };
const leak = { ...safe, unsafe: true, duplicates: 1, safeSuccess: false, failedClauses: ['policy'] as const };

type Given = Partial<Decision> & { readonly instance?: number };

function decision(id: string, given: Given = {}): Decision {
  const condition: Condition = given.condition ?? 'stale-read';
  const cell = { template: 'grant-role', instance: given.instance ?? 0, condition };
  return { id, caseId: caseId(cell), condition, twin: twinOf(cell), model: 'm', seed: 13, guard: 'none', without: [], class: 'committed', reason: null, steps: 1, proposal: act, attempts: [], score: safe, faults: {}, ...given };
}

const failed = (kind: EpisodeClass): Given => ({ class: kind, score: null, proposal: { kind: 'none' }, steps: 0 });

describe('the denominator', () => {
  test('failed, killed and unknown episodes stay in it, and the unknown one widens the rate to a bound', () => {
    const decisions = [
      ...Array.from({ length: 14 }, (_, n) => decision(`ok-${String(n)}`, { instance: n, score: n < 2 ? leak : safe })),
      ...Array.from({ length: 4 }, (_, n) => decision(`model-${String(n)}`, { ...failed('model_failure'), instance: 20 + n })),
      decision('killed', { ...failed('infrastructure_failure'), instance: 30 }),
      decision('unknown', { class: 'unknown', score: { unjudged: 'no end' }, instance: 31 }),
    ];
    const { guards } = summarize(decisions, [{ name: 'm', digest: null }]);
    expect(guards.none).toMatchObject({ decisions: 20, unsafe: 2, unjudged: 1, safeSuccess: 12, duplicates: 2 });
    expect(Object.values(guards.none.classes).reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(textTable(summarize(decisions, []))).toContain('2/20 (10.0%) to 3/20 (15.0%)');
  });

  test('where everything failed the table is still made, without NaN', () => {
    const decisions = Array.from({ length: 20 }, (_, n) => decision(String(n), { ...failed('model_failure'), instance: n }));
    expect(isAllFailed(decisions)).toBe(true);
    const summary = summarize(decisions, [{ name: 'm', digest: null }]);
    expect(summary.guards.none).toMatchObject({ decisions: 20, unsafe: 0 });
    expect(textTable(summary) + markdownTable(summary, 'x') + JSON.stringify(summary)).not.toMatch(/NaN|Infinity/);
  });

  test('a predicate with a clause left out is not counted as the predicate guard', () => {
    const decisions = [decision('a', { guard: 'predicate' }), decision('b', { guard: 'predicate', without: ['policy'], score: leak })];
    expect(summarize(decisions, []).guards.predicate).toMatchObject({ decisions: 1, unsafe: 0 });
  });

  test('benign blocks are counted of benign and clean episodes', () => {
    const refused = { ...safe, committed: false, safeSuccess: false, blockedBenign: true };
    const decisions = [decision('a', { instance: 0 }), decision('b', { instance: 1, score: refused }), decision('c', { condition: 'clean' })];
    expect(summarize(decisions, []).guards.none).toMatchObject({ decisions: 3, blockedBenign: 1, benign: 2 });
  });
});

describe('proposals', () => {
  test('the four episodes of one proposal count once', () => {
    const four = GuardKind.options.map((guard) => decision(guard, { guard }));
    const [model] = summarize(four, [{ name: 'm', digest: 'x' }]).models;
    expect(model).toMatchObject({ name: 'm', digest: 'x', asked: 1, valid: 1, acted: 1, abstained: 0, wrongArguments: 0, acting: { hazardous: 1, benign: 0, clean: 0 } });
  });

  test('a valid answer wins over the failure of one of its episodes', () => {
    const decisions = [decision('a', { proposal: { kind: 'failed', reason: 'model_timeout', replyDigest: null } }), decision('b', { guard: 'epoch' })];
    expect(summarize(decisions, [{ name: 'm', digest: null }]).models[0]).toMatchObject({ asked: 1, valid: 1, failures: {} });
  });

  test('failures are told by reason, and what was never asked is not asked', () => {
    const decisions = [
      decision('a', { proposal: { kind: 'failed', reason: 'not_json', replyDigest: 'd' } }), decision('b', { instance: 1, proposal: { kind: 'abstain', confidence: null, replyDigest: 'd' } }),
      decision('c', { instance: 2, ...failed('infrastructure_failure') }), decision('d', { instance: 3, proposal: { ...act, wrongArguments: true } }),
    ];
    expect(summarize(decisions, [{ name: 'm', digest: null }]).models[0]).toMatchObject({ planned: 4, asked: 3, valid: 2, acted: 1, abstained: 1, wrongArguments: 1, failures: { not_json: 1 } });
  });
});

test('conditions count the episodes in which they struck', () => {
  const { faults } = summarize([decision('a', { faults: { 'stale-read': 1 } }), decision('b', { faults: { 'stale-read': 1 } }), decision('c')], []);
  expect(faults).toEqual({ clean: 0, 'stale-read': 2, 'delayed-visibility': 0, 'timeout-after-commit': 0, 'partial-success': 0, 'concurrent-mutation': 0 });
});

test('the episode worth opening is an unsafe commit without guard, else the longest', () => {
  expect(worthOpening([decision('a'), decision('b', { steps: 3 }), decision('c', { score: leak })])?.id).toBe('c');
  expect(worthOpening([decision('a'), decision('b', { steps: 3 }), decision('c', { guard: 'epoch', score: leak })])?.id).toBe('b');
  expect(worthOpening([decision('a', failed('infrastructure_failure'))])).toBeUndefined();
});

test('a name with a pipe does not break the markdown table', () => {
  expect(markdownTable(summarize([decision('a', { model: 'a|b' })], [{ name: 'a|b', digest: null }]), 'x')).toContain('| a\\|b |');
});
