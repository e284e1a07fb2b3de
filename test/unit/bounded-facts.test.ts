/** What facts look like in a history: changed columns, short texts, and never more than a history can carry. */
import { expect, test } from 'vitest';
import { boundedFacts } from '../../contract/bounded-facts.ts';
import { EpisodeFacts, type WorldChange } from '../../contract/episode-facts.ts';

const change = (given: Partial<WorldChange>): WorldChange => ({ at: '2026-01-01T00:00:00.000Z', epoch: '2', actor: 'x', reason: 'x', opKey: null, table: 'orders.orders', key: 'a', before: null, after: null, ...given });
const factsWith = (changes: WorldChange[], more: Partial<EpisodeFacts> = {}): EpisodeFacts => EpisodeFacts.parse({
  episodeId: 'e', worldId: '1', caseId: 'c', model: 'm', seed: 1, guard: 'none', without: [], startedAt: '2026-01-01T00:00:00.000Z', proposed: {}, steps: [], changes, judged: null, ...more,
});

test('of a changed row the changed columns are told, of a new or a deleted one all', () => {
  const [moved, made, gone] = boundedFacts(factsWith([
    change({ before: { version: 1, status: 'PAID', note: 'a', tags: ['a'] }, after: { version: 2, status: 'SHIPPED', note: 'a', tags: ['a'] } }), change({ after: { version: 1, status: 'PAID' } }), change({ before: { version: 3 } }),
  ])).changes;
  expect(moved).toMatchObject({ before: { version: 1, status: 'PAID' }, after: { version: 2, status: 'SHIPPED' } });
  expect(Object.keys(moved?.after ?? {})).toEqual(['version', 'status']);
  expect([made?.before, made?.after, gone?.before, gone?.after]).toEqual([null, { version: 1, status: 'PAID' }, { version: 3 }, null]);
});

test('a column that only one of both images has is a changed one', () => {
  expect(boundedFacts(factsWith([change({ before: { a: 1 }, after: { a: 1, b: null } })])).changes[0]).toMatchObject({ before: {}, after: { b: null } });
});

test('texts are cut at 200, through no character, also in what was proposed', () => {
  const facts = boundedFacts(factsWith([change({ actor: 'a'.repeat(500), after: { text: `${'a'.repeat(198)}💌💌💌`, list: ['b'.repeat(500)] } })], { proposed: { 'e:1': { note: 'n'.repeat(201), short: 'n'.repeat(200) } } }));
  expect(facts.changes[0]?.actor).toBe(`${'a'.repeat(199)}…`);
  expect(facts.changes[0]?.after).toEqual({ text: `${'a'.repeat(198)}…`, list: [`${'b'.repeat(199)}…`] });
  expect(facts.proposed['e:1']).toEqual({ note: `${'n'.repeat(199)}…`, short: 'n'.repeat(200) });
});

test('of many changes the first are told with the number of the others, also of those that were left out before', () => {
  const bounded = boundedFacts(factsWith(Array.from({ length: 300 }, (_, n) => change({ key: String(n) })), { changesLeftOut: 7 }));
  expect([bounded.changes.length, bounded.changes.at(-1)?.key, bounded.changesLeftOut]).toEqual([200, '199', 107]);
});

test('wide rows are fewer, so that all of it stays far below what Temporal takes', () => {
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`column${String(n)}`, '💌'.repeat(150)]));
  const bounded = boundedFacts(factsWith(Array.from({ length: 100 }, () => change({ after: wide }))));
  expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(300_000);
  expect(bounded.changes.length).toBeGreaterThan(3);
  expect(bounded.changes.length + (bounded.changesLeftOut ?? 0)).toBe(100);
});

test('bounded once more they stay as they are, and few are told whole', () => {
  const facts = factsWith([change({ before: { a: 'x'.repeat(300) }, after: { a: 'y'.repeat(300) } })]);
  const once = boundedFacts(facts);
  expect(boundedFacts(once)).toEqual(once);
  expect(EpisodeFacts.parse(once)).toEqual(once);
  expect('changesLeftOut' in once).toBe(false);
});
