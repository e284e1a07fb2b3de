/** A world that was written before a migration added a column is judged as before it; a tampering in such a world still shows. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { judgeWorlds } from '../../checker/judge.ts';
import { scoreEpisode, type Score } from '../../checker/score.ts';
import { changeWorld } from '../../database/worlds.ts';
import { actCase, type Acted } from '../support/acted-case.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
let acted: Acted;
/** A committed world, then the migration: on a table whose row the commit changed, and on one whose row nobody touches. */
beforeEach(async () => {
  db = await testDatabase();
  acted = await actCase(db.pool, 'change-delivery-address/1/clean', { kind: 'predicate', without: [] });
  await db.owner.query(`alter table orders.orders add column gift_note text, add column priority bigint not null default 3, add column tags text[] default '{a,"b c"}'`);
  await db.owner.query('alter table orders.customers add column credit_cents bigint not null default 0 check (credit_cents >= 0)');
});
afterEach(() => db.close());

const findings = async (): Promise<string[]> => (await judgeWorlds(db.pool, { worldIds: [acted.worldId] })).flatMap((world) => [world.status, ...world.findings.map(({ text }) => text)]);
const score = (): Promise<Score> => scoreEpisode(db.pool, { worldId: acted.worldId, episodeId: acted.episodeId, expected: acted.plan.expected, drift: [], twin: 'clean' });
const { orders, customers } = { orders: { update: 'orders.orders', keyColumn: 'order_id', key: 'ord-50977' }, customers: { update: 'orders.customers', keyColumn: 'customer_id', key: 'cus-4410' } };
const write = (change: typeof orders, set: Record<string, string | number>): Promise<unknown> => changeWorld(db.pool, acted.worldId, { actor: 'x', reason: 'x', changes: [{ ...change, set }] });

test('it is sound and its diff is the expected one, before and after more is written', async () => {
  expect(await findings()).toEqual(['sound']);
  expect(await score()).toMatchObject({ integrity: 'sound', diffExact: true, safeSuccess: true });
  await write(orders, { delivery_address: 'somewhere' });
  await write(customers, { name: 'somebody' });
  await write(orders, { priority: 5 });
  expect(await findings()).toEqual(['sound']);
  expect(await score()).toMatchObject({ integrity: 'sound', diffExact: false });
});

test('what is written into a new column is part of the difference, and the column alone is not', async () => {
  await write(customers, { credit_cents: 0 });
  expect(await score()).toMatchObject({ diffExact: true });
  await write(customers, { credit_cents: 1 });
  expect(await score()).toMatchObject({ integrity: 'sound', diffExact: false });
});

test.each([
  { change: customers, column: 'name', value: `'Somebody'`, later: { name: 'x' } }, { change: customers, column: 'credit_cents', value: '1', later: { name: 'x' } },
  { change: orders, column: 'gift_note', value: `'x'`, later: { delivery_address: 'x' } },
])('$change.update: $column written behind the history shows, and so does a write over it', async ({ change, column, value, later }) => {
  const { update: table, keyColumn, key } = change;
  await db.owner.query(`alter table ${table} disable trigger z_history`);
  await db.owner.query(`update ${table} set ${column} = ${value} where world_id = $1 and ${keyColumn} = $2`, [acted.worldId, key]);
  await db.owner.query(`alter table ${table} enable trigger z_history`);
  expect(await findings()).toEqual(['broken', `${table}/${key} is not what its history says`]);
  await write(change, later);
  expect((await findings()).filter((text) => text.includes(`the history of ${table}/${key} has a gap before epoch`))).toHaveLength(1);
});

test('a column whose value in old rows nobody knows leaves the world broken, not sound', async () => {
  await db.owner.query('alter table orders.customers add column token uuid not null default gen_random_uuid()');
  expect(await findings()).toEqual(['broken', ...['cus-4410', 'cus-4411'].map((key) => `orders.customers/${key} is not what its history says`)]);
});
