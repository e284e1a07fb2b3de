/** A migrated database of its own for a test file: one Postgres server a vitest run, one template, quick clones. */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, migrate } from '../../database/migrate.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { startStack } from '../../stack/stack.ts';

/** A database that only the caller uses. `pool` connects as the worker role, with its rights; `owner` may do anything. */
export type TestDatabase = { readonly ownerUrl: string; readonly owner: Pool; readonly pool: Pool; close(): Promise<void> };

/** Names the advisory lock under which the template is made and cloned: a clone refuses to copy a database that is in use. */
const templateLock = 7_310_452;

/**
 * Clones the migrated template. The first call of a run starts Postgres (or uses DATABASE_URL) and takes a few seconds; later ones take about 0.1 s.
 * Call it in `beforeAll` and `close` it in `afterAll`.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { postgres } = await startStack({ parts: ['postgres'], stateDir: inject('stateDir'), say: () => undefined });
  if (postgres === undefined) throw new Error('The stack has no Postgres.');
  const ownerUrl = await clone(postgres.url, inject('databasePrefix'));
  const owner = createPool({ url: ownerUrl, max: 4, name: 'holdpoint-test-owner' });
  const pool = createPool({ url: roleUrl(ownerUrl, 'holdpoint_worker'), max: 10, name: 'holdpoint-test' });
  return {
    ownerUrl, owner, pool,
    async close() {
      await Promise.all([owner.end(), pool.end()]);
    },
  };
}

async function clone(url: string, prefix: string): Promise<string> {
  const admin = createPool({ url, max: 1, name: 'holdpoint-test-admin', lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  const template = `${prefix}_template`;
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  try {
    await admin.query('select pg_advisory_lock($1)', [templateLock]);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      await migrate(await createDatabase(url, `${template}_new`));
      await admin.query(`alter database ${template}_new rename to ${template}`);
    }
    await admin.query(`create database ${name} template ${template}`);
  } finally {
    await admin.end(); // ends the session and with it the lock
  }
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.toString();
}

/** Drops every database of one run: only needed on a server that outlives it. */
export async function dropTestDatabases(url: string, prefix: string): Promise<void> {
  const admin = createPool({ url, max: 1, name: 'holdpoint-test-admin' });
  try {
    const { rows } = await admin.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [`${prefix}_`]);
    for (const row of rows) await admin.query(`drop database ${row.datname} with (force)`);
  } finally {
    await admin.end();
  }
}
