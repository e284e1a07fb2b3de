/** The facts of episodes, read from the tables with the reader's rights: one, and a batch's in pages. */
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBatch } from '../../cli/runtime/client.ts';
import { boundedFacts } from '../../contract/bounded-facts.ts';
import { EpisodeFacts } from '../../contract/episode-facts.ts';
import { factsOf, factsOfBatch } from '../../database/facts.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { changeWorld } from '../../database/worlds.ts';
import type { Finished } from '../../activities/types.ts';
import { episodeRow, testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
let reader: Pool;
beforeAll(async () => {
  engine = await testEngine();
  reader = createPool({ url: roleUrl(engine.database.ownerUrl, 'holdpoint_reader'), max: 2, name: 'test-facts' });
});
afterAll(async () => {
  await reader.end();
  await engine.close();
});

const none = { kind: 'none' } as const;
const read = async (episodeId: string): Promise<EpisodeFacts> => EpisodeFacts.parse(await factsOf(reader, episodeId));

test('a leaked episode: what was read and found, the clause, who had moved the row, and the word of the judge', async () => {
  await engine.run('facts-leaked', { caseId: 'change-delivery-address/0/stale-read', guard: none });
  const facts = await read('facts-leaked');
  expect(facts).toMatchObject({
    caseId: 'change-delivery-address/0/stale-read', model: 'always-act', seed: 1, guard: 'none', without: [], worldId: (await episodeRow(engine, 'facts-leaked')).worldId,
    steps: [{ opKey: 'facts-leaked:1', outcome: 'committed', asked: [], clauses: { status: false, policy: true, integrity: true, notApplied: true } }],
    judged: { committed: true, unsafe: true, duplicates: 0, failedClauses: ['status'], integrity: 'sound' },
  });
  expect(facts.proposed['facts-leaked:1']).toEqual({ orderId: 'ord-48213', newAddress: expect.any(String) as string });
  expect(facts.steps[0]?.rows?.find((row) => row.table === 'orders.orders')).toEqual({ table: 'orders.orders', key: 'ord-48213', read: '1', found: '2' });
  expect(facts.changes.map((change) => [change.epoch, change.opKey === 'facts-leaked:1'])).toEqual([['2', false], ['3', true], ['3', true]]);
  expect(facts.changes[0]).toMatchObject({ table: 'orders.orders', before: { version: 1 }, after: { version: 2 } });
  expect(facts.changesLeftOut).toBeUndefined();
});

test('nothing is known of an episode that there is not; one that nobody judged has no word of the judge', async () => {
  expect(await factsOf(reader, 'nobody')).toBeUndefined();
  await engine.run('facts-unjudged', { score: false });
  expect((await read('facts-unjudged')).judged).toBeNull();
  await engine.run('facts-abstained', { model: 'always-abstain' });
  expect(await read('facts-abstained')).toMatchObject({ proposed: {}, changes: [], steps: [{ outcome: 'closed', proposedAt: null }] });
});

test('of more changes than are told the first are, with the number of the others', async () => {
  await engine.run('facts-busy');
  const { worldId } = await episodeRow(engine, 'facts-busy');
  const write = (note: number): Promise<unknown> => changeWorld(engine.database.pool, worldId, { actor: 'x', reason: 'x', changes: [{ update: 'orders.orders', keyColumn: 'order_id', key: 'ord-48213', set: { warehouse_note: String(note) } }] });
  await engine.database.owner.query(`insert into holdpoint.row_history (world_id, epoch, table_name, key, new_row, actor, reason) select $1, 100 + n, 't', n::text, '{}', 'x', 'x' from generate_series(1, 1000) n`, [worldId]);
  await write(1);
  const facts = await read('facts-busy');
  expect([facts.changes.length, facts.changesLeftOut]).toEqual([1000, 3]);
});

test('a batch comes page by page, each episode once and as it comes alone', async () => {
  await (await startBatch(engine.client, { batchId: 'facts-pages', input: { templates: ['change-delivery-address'], instances: [0], conditions: ['clean', 'stale-read'], models: ['always-act'] } }, engine.start)).result();
  const pages: (readonly EpisodeFacts[])[] = [];
  for await (const page of factsOfBatch(reader, 'facts-pages', 3)) pages.push(page);
  expect(pages.map((page) => page.length)).toEqual([3, 3, 2]);
  const ids = pages.flat().map((facts) => facts.episodeId);
  expect(new Set(ids).size).toBe(8);
  for (const facts of pages.flat()) expect(facts).toEqual(await read(facts.episodeId));
});

/** What the last activity of an episode left in its history. */
async function finishedIn(episodeId: string): Promise<Finished> {
  const { events } = await engine.client.workflow.getHandle(episodeId).fetchHistory();
  const payload = (events ?? []).map((event) => event.markerRecordedEventAttributes?.details?.['result']?.payloads?.[0]).findLast((one) => one !== undefined);
  if (payload === undefined) throw new Error('The history has no marker with a result.');
  return defaultPayloadConverter.fromPayload<Finished>(payload);
}

test('the history of a judged episode carries the same facts, bounded; that of another carries none', async () => {
  await engine.run('facts-told', { caseId: 'change-delivery-address/1/concurrent-mutation', guard: none });
  const { facts, leaked } = await finishedIn('facts-told');
  expect(EpisodeFacts.parse(facts)).toEqual(boundedFacts(await read('facts-told')));
  expect([facts?.judged?.unsafe, facts?.steps.length]).toEqual([leaked, 1]);
  await engine.run('facts-untold', { caseId: 'change-delivery-address/1/concurrent-mutation', guard: none, score: false });
  expect(await finishedIn('facts-untold')).toMatchObject({ outcome: { class: 'committed' }, leaked: null });
  expect('facts' in await finishedIn('facts-untold')).toBe(false);
});
