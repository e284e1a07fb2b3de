/** The explaining room by itself: every guard on every combination of clauses, families, remedies, grades and drawings. No servers; the facts are a real episode's. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { contradictionsOf } from '../../cli/explain/contradictions.ts';
import { factsFromHistory } from '../../cli/explain/from-history.ts';
import { readHistory } from '../../cli/replay/read-history.ts';
import { Condition } from '../../contract/case.ts';
import { Clause } from '../../contract/guard.ts';
import { addCosts, costsOf } from '../../explain/costs.ts';
import { drawTimeline } from '../../explain/draw.ts';
import { explain, type Known } from '../../explain/explain.ts';
import { familyOf } from '../../explain/family.ts';
import { confusionText, gradesOf, type Graded } from '../../explain/grade.ts';
import { answer, verdictsOf } from '../../explain/verdicts.ts';
import { designCells } from '../../scenarios/design.ts';
import { hazardOf } from '../../scenarios/hazard.ts';
import { templates } from '../../scenarios/index.ts';

const facts = factsFromHistory(await readHistory(fileURLToPath(new URL('../../docs/leaks/invoice.json', import.meta.url)))).facts;
const step = facts.steps[0] as Known['steps'][number];
const subsets = Array.from({ length: 16 }, (_, bits) => Clause.options.filter((_clause, at) => (bits & (1 << at)) > 0));
const broken = (clauses: readonly Clause[]): Record<Clause, boolean> => Object.fromEntries(Clause.options.map((clause) => [clause, !clauses.includes(clause)])) as Record<Clause, boolean>;
const with_ = (change: Partial<Known['steps'][number]>, more: Partial<Known> = {}): Known => ({ ...facts, ...more, steps: [{ ...step, ...change }] });

describe('verdicts', () => {
  test('a predicate lets through exactly what it lacks every broken clause of: all 256 combinations', () => {
    for (const wrong of subsets) for (const without of subsets)
      expect(answer({ kind: 'predicate', without }, { ...step, clauses: broken(wrong) }).lets).toBe(wrong.every((clause) => without.includes(clause)));
  });

  test('epoch and version compare what was read with what was found, and a row that is gone is another', () => {
    const rows = [{ table: 't', key: 'k', read: '1', found: '1' }];
    const lets = (change: Partial<typeof step>): unknown => (['epoch', 'version'] as const).map((kind) => answer({ kind, without: [] }, { ...step, rows, epochRead: '4', epochFound: '4', ...change }).lets);
    expect([lets({}), lets({ epochFound: '5' }), lets({ rows: [{ ...rows[0] as typeof rows[number], found: null }] }), lets({ epochFound: null, rows: null })]).toEqual([[true, true], [false, true], [true, false], [null, null]]);
  });

  test('the guard that ran is marked, also where it is none of the usual ones', () => {
    const ran = (without: readonly Clause[]): unknown => verdictsOf(step, { kind: 'predicate', without }).filter((verdict) => verdict.ran).map((verdict) => verdict.guard);
    expect([ran([]), ran(['policy']), ran(['status', 'notApplied'])]).toEqual([['predicate'], ['predicate-policy'], ['predicate-status-notApplied']]);
  });
});

test('the family of the clauses that a hazard breaks is its own, in every cell of the scenarios', () => {
  const cells = designCells({ templates: templates.map((template) => template.name), instances: [0, 2], conditions: Condition.options });
  const hazards = cells.map(hazardOf).filter((hazard) => hazard !== null);
  expect(hazards).toHaveLength(160);
  for (const { family, clauses } of hazards) expect(familyOf(clauses)).toBe(family);
});

describe('explanations', () => {
  test('nothing had changed since the read: the call was wrong from the start, and no guard that looks at versions would have helped', () => {
    const { answer: said, remedy } = explain(with_({ epochFound: step.epochRead, rows: (step.rows ?? []).map((row) => ({ ...row, found: row.read })) }));
    expect(said).toContain('wrong from the start');
    expect(remedy?.text).toMatch(/version guard: no, .*; epoch guard: no, .*; predicate: only with the policy clause/);
  });

  test('of several broken clauses any one is enough, and one that nobody could have asked is said to be none', () => {
    expect(explain(with_({ clauses: broken(['status', 'notApplied']) }, { guard: 'none', without: [], judged: null })).remedy).toMatchObject({ clauses: ['status', 'notApplied'], text: expect.stringContaining('a predicate that asks the status or the notApplied clause.') as string });
    const twice = explain(with_({ clauses: broken([]) }, { judged: { committed: true, unsafe: true, duplicates: 1, failedClauses: [], integrity: 'sound' } }));
    expect([twice.verdict, twice.family, twice.remedy?.text]).toEqual(['leak', 'duplicate', expect.stringContaining('No guard of the state would have stopped it')]);
  });

  test('what an unexecuted step, no step, and an unjudged commit without clauses come to', () => {
    const kinds = [with_({ outcome: 'closed' }), { ...facts, steps: [] }, with_({ clauses: null }, { judged: null }), with_({ outcome: 'refused', reason: 'epoch_moved', refusedBy: 'epoch', clauses: broken([]) }), with_({ outcome: 'refused', reason: 'not_authorised', refusedBy: 'approval', clauses: broken([]) })];
    expect(kinds.map((one) => explain(one).verdict)).toEqual(['ended', 'unknown', 'unknown', 'blocked', 'refused']);
  });

  test('only what others changed between the read and the commit was unseen', () => {
    const at = (epoch: string, opKey: string | null): Known['changes'][number] => ({ at: '2026-01-01T00:00:00.000Z', epoch, actor: `at ${epoch}`, reason: 'x', opKey, table: 't', key: 'k', before: null, after: { version: 1 } });
    const told = explain({ ...with_({ epochRead: '2', epochFound: '10' }), changes: [at('2', null), at('3', null), at('10', 'other:1'), at('9', step.opKey), at('11', null)] });
    expect(told.unseen.map((text) => /at \d+/.exec(text)?.[0])).toEqual(['at 3', 'at 10']);
    expect(told.timeline.filter((entry) => entry.unseen)).toHaveLength(2);
  });
});

describe('a history beside the tables', () => {
  const tables = { worldId: '1', ...facts };
  const against = (change: Partial<Known>): readonly string[] => contradictionsOf({ event: '9', facts: { ...tables, ...change } }, tables);
  const later = (opKey: string | null): Known['changes'][number] => ({ at: '2126-01-01T00:00:00.000Z', epoch: '90', actor: 'warehouse', reason: 'later', opKey, table: 't', key: 'k', before: null, after: { version: 1 } });

  test('what others, or a rollback, write after the end contradicts nothing', () => {
    expect(against({})).toEqual([]);
    expect(contradictionsOf({ event: '9', facts: tables }, { ...tables, changes: [...tables.changes, later(null), later('rollback/invoice:1:1')] })).toEqual([]);
    expect(contradictionsOf({ event: '9', facts: { ...tables, changesLeftOut: 3 } }, { ...tables, changesLeftOut: 7 })).toEqual([]);
  });

  test('a change that a step must have found, its effect, one that is another, and changes that are gone are told', () => {
    const own = facts.changes.findIndex((change) => change.opKey !== null);
    expect(own).toBeGreaterThan(0);
    expect(against({ changes: facts.changes.slice(0, own) })).toEqual([expect.stringMatching(new RegExp(`^Event 9: the history's facts have changes\\.${String(own)} nothing, the database has \\{`))]);
    expect(against({ changes: [] })).toEqual([expect.stringContaining('changes.0 nothing')]);
    expect(against({ changes: facts.changes.map((change, at) => (at === 0 ? { ...change, actor: 'nobody' } : change)) })).toEqual([expect.stringContaining('changes.0.actor "nobody"')]);
    expect(contradictionsOf({ event: '9', facts: tables }, { ...tables, changes: tables.changes.slice(0, -1) })).toEqual([expect.stringMatching(/changes\.\d+ \{.*, the database has nothing/)]);
    expect(contradictionsOf({ event: '9', facts: { ...tables, changesLeftOut: 3 } }, { ...tables, changesLeftOut: 2 })).toEqual([expect.stringMatching(/changes in number \d+, the database has \d+/)]);
  });
});

test('costs: right commits that a guard would have blocked, leaks that it would have stopped, added up', () => {
  const right = with_({ clauses: broken([]) }, { judged: null });
  const costs = addCosts(costsOf([facts, right]), costsOf([right]));
  expect(costs.find((one) => one.guard === 'version')).toEqual({ guard: 'version', right: 2, rightBlocked: 2, leaks: 1, leaksStopped: 1 });
  expect(costs.find((one) => one.guard === 'predicate')).toEqual({ guard: 'predicate', right: 2, rightBlocked: 0, leaks: 1, leaksStopped: 1 });
});

test('grades: a wrong clause, a wrong family and no explanation are each not correct, and have their cells', () => {
  const truth = { family: 'policy', clauses: ['policy'] } as const;
  const one = (told: Graded['told']): Graded => ({ episodeId: 'e', opKey: 'e:1', guard: 'none', truth, from: 'scenario', told });
  const grades = gradesOf([one(truth), one(truth), one({ ...truth, clauses: ['policy', 'status'] }), one({ ...truth, family: 'status' }), one(null)]);
  expect(grades).toMatchObject({ leaks: 5, explained: 4, correct: 2, families: [{ truth: 'policy', told: 'policy', leaks: 3 }, { told: 'status', leaks: 1 }, { told: 'unexplained', leaks: 1 }] });
  expect(confusionText('true / told', grades.families)).toBe('true / told  policy  status  unexplained\npolicy            3       1            1');
});

test('the drawing has a dot for every event, marks what was unseen, and holds no markup of strangers', () => {
  const { timeline } = explain(facts);
  const svg = drawTimeline([...timeline, { at: timeline[0]?.at ?? '', step: null, event: 'comment', who: '<b>"&', text: `'</svg>\u202e`, unseen: false }], true);
  expect(svg.match(/<circle /g)).toHaveLength(timeline.length + 1);
  expect(svg.match(/class="bad"/g)).toHaveLength(2);
  expect(svg).toContain('&lt;b&gt;&quot;&amp;: &#39;&lt;/svg&gt;\\u{202e}');
  expect(svg.match(/<\/svg>/g)).toHaveLength(1);
  expect(drawTimeline([], false)).toBe('');
});
