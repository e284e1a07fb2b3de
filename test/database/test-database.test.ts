/** The tests' own database: migrated, apart from others, with the worker's rights. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let one: TestDatabase;
let other: TestDatabase;
beforeAll(async () => {
  [one, other] = await Promise.all([testDatabase(), testDatabase()]);
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
});

test('two databases of one run do not see each other', async () => {
  await one.owner.query("insert into holdpoint.worlds (label) values ('mine')");
  const { rowCount } = await other.owner.query('select from holdpoint.worlds');
  expect(rowCount).toBe(0);
});

test('the pool has the rights of a worker only', async () => {
  const { rows } = await one.pool.query<{ name: string }>('select current_user as name');
  expect(rows[0]?.name).toBe('holdpoint_worker');
  await expect(one.pool.query('truncate orders.customers')).rejects.toThrow(/permission denied/);
});
