/** `holdpoint leaks` on the real engine: what the judge finds in the database now, whatever was recorded about it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LinkedLeak } from '../../cli/leaks/describe.ts';
import { startBatch } from '../../cli/runtime/client.ts';
import type { BatchInputGiven } from '../../contract/batch-input.ts';
import { inSnapshot } from '../../database/snapshot.ts';
import { changeWorld } from '../../database/worlds.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { episodeRow, startHeld, testEngine, type Engine } from '../support/temporal.ts';

type Document = { batch: string | null; worlds: number; total: number; counts: Record<string, number>; leaks: LinkedLeak[]; unknown: { episodeId: string; why: string }[]; tables: string[] };

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
  const input: BatchInputGiven = {
    templates: ['change-delivery-address', 'grant-role'], instances: [0], conditions: ['clean', 'stale-read', 'delayed-visibility', 'timeout-after-commit', 'partial-success', 'concurrent-mutation'],
    models: ['always-act'], guards: [{ kind: 'none' }, { kind: 'predicate', without: ['status'] }, { kind: 'predicate' }],
  };
  await (await startBatch(engine.client, { batchId: 'leaks-mixed', input }, engine.start)).result();
  await engine.run('leaks-alone', { caseId: 'change-delivery-address/0/stale-read', guard: { kind: 'none' } });
}, 120_000);
afterAll(() => engine.close());

const leaks = (...args: string[]): Promise<Ran> => holdpointWith({ DATABASE_URL: engine.database.ownerUrl, TEMPORAL_UI_URL: 'http://ui.test' }, 'leaks', ...args);
const found = async (...args: string[]): Promise<Document> => JSON.parse((await leaks(...args, '--json')).printed) as Document;
const own = async (episodeId: string): Promise<LinkedLeak[]> => (await found('--limit', '1000')).leaks.filter((leak) => leak.episodeId === episodeId);

test('of a batch those that leaked by the score of each are there, no others, each with its clauses and a link', async () => {
  const { rows } = await engine.database.owner.query<{ id: string; clauses: string[] }>(`select episode_id as id, score -> 'failedClauses' as clauses from holdpoint.episodes where batch_id = 'leaks-mixed' and (score ->> 'unsafe')::boolean`);
  expect(rows.length).toBeGreaterThan(5);
  // What was recorded is not believed: the same is found without it.
  await engine.database.owner.query(`update holdpoint.episodes set score = null, outcome = '{"class":"refused"}' where batch_id = 'leaks-mixed'`);
  const document = await found('--batch', 'leaks-mixed');
  const all = await engine.database.owner.query(`select from holdpoint.episodes where batch_id = 'leaks-mixed'`);
  expect(document).toMatchObject({ batch: 'leaks-mixed', worlds: all.rowCount, total: rows.length, unknown: [], tables: [] });
  expect(document.leaks.map((leak) => leak.episodeId).sort()).toEqual(rows.map((row) => row.id).sort());
  for (const leak of document.leaks) {
    expect(leak.clauses).toEqual(rows.find((row) => row.id === leak.episodeId)?.clauses);
    expect(leak).toMatchObject({ batchId: 'leaks-mixed', link: `http://ui.test/namespaces/default/workflows/${encodeURIComponent(leak.episodeId ?? '')}` });
  }
  expect(new Set(document.leaks.map((leak) => leak.guard))).toEqual(new Set(['none', 'predicate-status']));
});

test('without a batch all worlds are judged; the reason is a sentence, and the text ends with how to go on', async () => {
  expect(await own('leaks-alone')).toMatchObject([{ kind: 'unsafe', opKey: 'leaks-alone:1', guard: 'none', caseId: 'change-delivery-address/0/stale-read', clauses: ['status'], duplicates: 0, reasons: ['committed though the operational status did not allow it'] }]);
  const { code, printed } = await leaks('--limit', '1');
  expect(code).toBe(0);
  expect(printed).toMatch(/The worst 1 are shown: narrow them with --batch, or raise --limit\.\nWhy one happened: holdpoint explain \S+\n$/);
  expect(printed).toContain('http://ui.test/namespaces/default/workflows/');
});

test('an effect that is there twice comes before unsafe commits, and one that no commit accounts for before that', async () => {
  for (const id of ['leaks-twice', 'leaks-planted']) await engine.run(id);
  const worldOf = async (id: string): Promise<string> => (await episodeRow(engine, id)).worldId;
  const label = (by: string, opKey: string): string => `with said as (select set_config('holdpoint.actor', '${by}', true), set_config('holdpoint.op_key', '${opKey}', true))
    insert into orders.labels (world_id, order_id, address) select $1, order_id, delivery_address from orders.orders, said where world_id = $1 and order_id = 'ord-48213'`;
  await engine.database.owner.query(label('somebody', 'leaks-twice:1'), [await worldOf('leaks-twice')]);
  await engine.database.owner.query(label('agent:always-act', ''), [await worldOf('leaks-planted')]);
  const twice = await own('leaks-twice');
  expect(twice).toMatchObject([
    { kind: 'unexplained', opKey: null, reasons: ['an effect of somebody on orders.labels at epoch 3 has no ledger row'] }, { kind: 'unexplained', opKey: null, reasons: ['an effect of somebody on orders.orders at epoch 3 has no ledger row'] },
    { kind: 'duplicate', opKey: 'leaks-twice:1', duplicates: 1, reasons: ['1 side effect repeats what was done before', 'one op key left 2 side effects'] },
  ]);
  expect((await own('leaks-planted')).map((leak) => [leak.kind, leak.reasons[0]])).toContainEqual(['unexplained', 'an effect of agent:always-act on orders.labels at epoch 3 has no ledger row']);
  const kinds = (await found()).leaks.map((leak) => leak.kind);
  expect(kinds).toEqual([...kinds].sort((a, b) => ['unexplained', 'duplicate', 'unsafe'].indexOf(a) - ['unexplained', 'duplicate', 'unsafe'].indexOf(b)));
  expect(new Set(kinds).size).toBe(3);
});

test('an episode that waits is no leak, and a snapshot does not see what is written meanwhile', async () => {
  const { handle } = await startHeld(engine, 'leaks-waiting');
  expect(await own('leaks-waiting')).toEqual([]);
  const { worldId } = await episodeRow(engine, 'leaks-waiting');
  const epoch = 'select epoch from holdpoint.epochs where world_id = $1';
  await inSnapshot(engine.database.pool, async (client) => {
    const before = await client.query(epoch, [worldId]);
    await changeWorld(engine.database.pool, worldId, { actor: 'x', reason: 'x', changes: [{ update: 'orders.orders', keyColumn: 'order_id', key: 'ord-48213', set: { warehouse_note: 'x' } }] });
    expect((await client.query(epoch, [worldId])).rows).toEqual(before.rows);
    await expect(client.query('delete from holdpoint.episodes')).rejects.toThrow();
  });
  expect((await engine.database.pool.query(epoch, [worldId])).rows).toEqual([{ epoch: '2' }]);
  await handle.cancel();
  await handle.result().catch(() => undefined);
});

test('a table without its history is said once, not of every world', async () => {
  await engine.database.owner.query('alter table orders.waves disable trigger z_history');
  try {
    const document = await found('--batch', 'leaks-mixed');
    expect(document.tables).toEqual(['the history of orders.waves is switched off']);
    expect(document.counts['unexplained']).toBe(0);
    expect((await leaks('--batch', 'leaks-mixed')).printed).toContain('In every world: the history of orders.waves is switched off.\n');
  } finally {
    await engine.database.owner.query('alter table orders.waves enable trigger z_history');
  }
});

test('what cannot be judged is not fine: one sentence and exit code 1, beside what could be', async () => {
  await engine.database.owner.query('revoke select on access.grants from holdpoint_reader');
  try {
    const { code, said } = await leaks('--batch', 'single');
    expect([code, said]).toEqual([1, expect.stringMatching(/holdpoint: \d+ worlds could not be judged, and may hold anything: world \d+, permission denied for table grants\.\n$/)]);
  } finally {
    await engine.database.owner.query('grant select on access.grants to holdpoint_reader');
  }
});

test('a batch that there is not, and a limit that is none', async () => {
  expect(await leaks('--batch', 'nothing\u001b[31m')).toMatchObject({ code: 1, printed: '', said: 'holdpoint: There is no episode of a batch "nothing\\u{1b}[31m".\n' });
  expect(await leaks('--limit', '0')).toMatchObject({ code: 2, said: expect.stringContaining('--limit takes a whole number') as string });
});
