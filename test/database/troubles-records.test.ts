/** Trouble: records that somebody can change, skip or forget: ledger, history, epochs, rights, triggers, contracts and migrations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pendingRequests } from '../../database/approvals.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { contractProblems, commitFunction, commitFunctionSql } from '../../database/commit/generate.ts';
import { sqlStateOf } from '../../database/errors.ts';
import { isCurrent, migrate } from '../../database/migrate.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { listTokens } from '../../database/tokens.ts';
import { changeWorld, epochOf, seedWorld } from '../../database/worlds.ts';
import { tools } from '../../guards/tools/index.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { seenWaitingFor, withSessions } from './support/sessions.ts';
import { approvedRequest, countOf, guardOf, seedFor } from './support/tool-cases.ts';

let db: TestDatabase;
let reader: Pool;
beforeAll(async () => {
  db = await testDatabase();
  reader = createPool({ url: roleUrl(db.ownerUrl, 'holdpoint_reader'), max: 1, name: 'holdpoint-test-reader' });
  const request = await approvedRequest(db, 'change_delivery_address', guardOf('predicate'));
  await commitProposal(db.pool, request);
});
afterAll(async () => {
  await reader.end();
  await db.close();
});

const insufficientPrivilege = '42501';

/** Runs a statement that has to be refused and returns its SQLSTATE. */
async function refusal(pool: Pool, sql: string): Promise<string | null> {
  return pool.query(sql).then(() => 'it was allowed', (error: unknown) => sqlStateOf(error));
}

const domainTables = ['orders.orders', 'orders.labels', 'orders.holds', 'billing.purchase_orders', 'billing.postings', 'access.people', 'access.grants', 'deployments.services', 'deployments.rollouts'];

describe('the worker', () => {
  const refused = [
    ...['holdpoint.ledger', 'holdpoint.row_history'].flatMap((table) => [`update ${table} set world_id = world_id`, `delete from ${table}`, `truncate ${table}`]),
    `insert into holdpoint.ledger (world_id, op_key, tool, guard, verdict, attempt) values (1, 'k', 't', 'none', 'committed', 1)`,
    `insert into holdpoint.row_history (world_id, epoch, table_name, key, actor, reason) values (1, 1, 't', 'k', 'a', 'r')`,
    'update holdpoint.epochs set epoch = 0',
    'delete from holdpoint.epochs',
    'delete from holdpoint.worlds',
    `update holdpoint.approvals set verdict = 'approve'`,
    'delete from holdpoint.approvals',
    'update holdpoint.decision_refusals set reason = reason',
    'alter table holdpoint.ledger disable trigger all',
    'alter table orders.orders disable trigger z_history',
    'alter table orders.orders disable trigger user',
    'drop trigger a_version on orders.orders',
    `set session_replication_role = 'replica'`,
    `create or replace function holdpoint.record_change() returns trigger language plpgsql as 'begin return null; end'`,
    `call holdpoint.keep_history('orders.orders', 'order_id')`,
    'create table orders.mine (x int)',
    'create table holdpoint.mine (x int)',
    ...domainTables.map((table) => `truncate ${table} cascade`),
  ];

  it.each(refused)('is refused: %s', async (sql) => {
    expect(await refusal(db.pool, sql)).toBe(insufficientPrivilege);
  });
});

describe('the reader', () => {
  it.each(['insert into holdpoint.worlds (label) values (\'x\')', 'update orders.orders set status = status', 'delete from orders.holds', `select holdpoint.decide('k', 'd', 'approve', 'ana', 'update', '')`, `select holdpoint.close_op_key(1, 'k', 't', 'cancelled', 'me', null)`, `select holdpoint.seed_world('x', '[]')`])('is refused: %s', async (sql) => {
    expect(await refusal(reader, sql)).toBe(insufficientPrivilege);
  });

  it('reads everything but what tokens are known by', async () => {
    for (const table of ['holdpoint.ledger', 'holdpoint.row_history', 'holdpoint.decisions', 'holdpoint.group_members', ...domainTables]) await expect(reader.query(`select * from ${table}`)).resolves.toBeDefined();
    await expect(pendingRequests(reader)).resolves.toBeDefined();
    await expect(listTokens(reader)).resolves.toBeDefined();
    expect(await refusal(reader, 'select hash from holdpoint.tokens')).toBe(insufficientPrivilege);
  });
});

describe('the owner', () => {
  it.each(['update holdpoint.ledger set reason = reason', 'truncate holdpoint.ledger', 'update holdpoint.row_history set actor = actor', 'truncate holdpoint.row_history', ...domainTables.map((table) => `truncate ${table} cascade`), 'truncate holdpoint.policies', 'truncate holdpoint.worlds cascade'])('is refused: %s', async (sql) => {
    expect(await refusal(db.owner, sql)).toBe(insufficientPrivilege);
  });

  it('cannot put a second final row of an op key, or an unknown verdict, into the ledger', async () => {
    const { rows } = await db.owner.query<{ op_key: string }>(`select op_key from holdpoint.ledger where verdict = 'committed' limit 1`);
    const insert = (verdict: string, reason: string): string =>
      `insert into holdpoint.ledger (world_id, op_key, tool, guard, verdict, reason, attempt) values (1, '${rows[0]?.op_key ?? ''}', 't', 'none', '${verdict}', ${reason}, 1)`;
    expect(await refusal(db.owner, insert('committed', 'null'))).toBe('23505');
    expect(await refusal(db.owner, insert('closed', `'cancelled'`))).toBe('23505');
    expect(['22P02', '23514']).toContain(await refusal(db.owner, insert('perhaps', `'cancelled'`)));
  });
});

describe('the epoch', () => {
  it('of a world that was just seeded is 1, and the seed is the cause of every row; a seed that fails leaves no world', async () => {
    const person = { table: 'access.people', row: { person_id: 'ann', name: 'Ann', status: 'ACTIVE' } };
    const worldId = await seedWorld(db.pool, 'two rows', [person, { table: 'holdpoint.policies', row: { tool: 't', allowed: true, approvers: ['ana', 'b"o,b'] } }]);
    expect(await epochOf(db.pool, worldId)).toBe('1');
    const { rows } = await db.owner.query('select epoch, table_name, key, actor, reason, op_key from holdpoint.row_history where world_id = $1 order by id', [worldId]);
    const cause = { epoch: '1', actor: 'seed', reason: 'two rows', op_key: null };
    expect(rows).toEqual([{ ...cause, table_name: 'access.people', key: 'ann' }, { ...cause, table_name: 'holdpoint.policies', key: 't' }]);
    expect((await db.owner.query('select approvers from holdpoint.policies where world_id = $1', [worldId])).rows).toEqual([{ approvers: ['ana', 'b"o,b'] }]);
    await expect(seedWorld(db.pool, 'lost', [person, person])).rejects.toThrow('duplicate key');
    await expect(seedWorld(db.pool, 'lost', [{ table: 'holdpoint.ledger', row: { op_key: 'k' } }])).rejects.toThrow('permission denied');
    expect(await countOf(db, `select count(*) from holdpoint.worlds where label = 'lost' and world_id > $1`, worldId)).toBe(0);
  });

  it('moves once for a transaction of several rows, and every row of it is in the history with its cause', async () => {
    const worldId = await seedFor(db, 'change_delivery_address');
    expect(await epochOf(db.pool, worldId)).toBe('1');
    await changeWorld(db.pool, worldId, { actor: 'warehouse', reason: 'stocktaking', opKey: 'k1', changes: [
      { update: 'orders.orders', keyColumn: 'order_id', key: 'o1', set: { warehouse_note: 'a' } },
      { update: 'orders.orders', keyColumn: 'order_id', key: 'o1', set: { warehouse_note: 'b' } },
      { update: 'orders.orders', keyColumn: 'order_id', key: 'o2', set: { warehouse_note: 'c' } },
      { insert: 'orders.holds', row: { order_id: 'o1', cause: 'fraud check' } },
    ] });
    expect(await epochOf(db.pool, worldId)).toBe('2');
    const { rows } = await db.owner.query('select distinct actor, reason, op_key, xact::text is not null as transaction from holdpoint.row_history where world_id = $1 and epoch = 2', [worldId]);
    expect(rows).toEqual([{ actor: 'warehouse', reason: 'stocktaking', op_key: 'k1', transaction: true }]);
    expect(await countOf(db, 'select count(*) from holdpoint.row_history where world_id = $1 and epoch = 2', worldId)).toBe(4);
  });

  it('moves once for a commit, and not at all for a rejected one', async () => {
    const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
    await commitProposal(db.pool, request);
    expect(await epochOf(db.pool, request.worldId)).toBe('2');
    const other = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
    await db.pool.query('update holdpoint.policies set allowed = false where world_id = $1', [other.worldId]);
    await commitProposal(db.pool, other);
    expect(await epochOf(db.pool, other.worldId)).toBe('2');
  });

  it('moves for every kind of write, whoever makes it: insert, update, delete, the owner', async () => {
    const worldId = await seedFor(db, 'change_delivery_address');
    const writes: [Pool, string][] = [
      [db.pool, `insert into orders.holds (world_id, order_id, cause) values ($1, 'o1', 'x')`],
      [db.pool, 'update orders.holds set released = true where world_id = $1'],
      [db.owner, 'delete from orders.holds where world_id = $1'],
      [db.owner, `update orders.orders set warehouse_note = 'x' where world_id = $1`],
    ];
    for (const [index, [pool, sql]] of writes.entries()) {
      await pool.query(sql, [worldId]);
      expect(await epochOf(db.pool, worldId)).toBe(String(index + 2));
    }
  });

  it('orders the history: within a world the order of ids is the order of commits', async () => {
    const worldId = await seedFor(db, 'change_delivery_address');
    await withSessions(db.pool, 2, async (first, second) => {
      await first.client.query('begin');
      await first.client.query('set constraints all immediate');
      await first.client.query(`update orders.orders set warehouse_note = 'a' where world_id = $1 and order_id = 'o1'`, [worldId]);
      const asked = second.client.query(`update orders.orders set warehouse_note = 'b' where world_id = $1 and order_id = 'o2'`, [worldId]);
      await seenWaitingFor(db.owner, { session: second, asked }, first);
      await first.client.query(`update orders.customers set name = 'c' where world_id = $1`, [worldId]);
      await first.client.query('commit');
      await asked;
    });
    const { rows } = await db.owner.query<{ epoch: string }>('select epoch from holdpoint.row_history where world_id = $1 and epoch > 1 order by id', [worldId]);
    expect(rows.map((row) => row.epoch)).toEqual(['2', '2', '3']);
  });

  it('has no gap over many writers at once', async () => {
    const worldId = await seedFor(db, 'change_delivery_address');
    await Promise.all(Array.from({ length: 40 }, (_, index) => db.pool.query(`update orders.orders set warehouse_note = $3 where world_id = $1 and order_id = $2`, [worldId, index % 2 === 0 ? 'o1' : 'o2', String(index)])));
    const { rows } = await db.owner.query<{ epochs: string[] }>('select array_agg(distinct epoch order by epoch) as epochs from holdpoint.row_history where world_id = $1', [worldId]);
    expect(rows[0]?.epochs).toEqual(Array.from({ length: 41 }, (_, index) => String(index + 1)));
  });
});

describe('the catalog', () => {
  it('shows every domain table and the policies under the regime: version, history, no truncate, all enabled', async () => {
    const { rows } = await db.owner.query<{ table_name: string; triggers: string[] }>(
      `select c.oid::regclass::text as table_name, coalesce(array_agg(t.tgname::text order by t.tgname) filter (where t.tgname in ('a_version', 'z_history', 'no_truncate') and t.tgenabled = 'O'), '{}') as triggers
       from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_trigger t on t.tgrelid = c.oid
       where c.relkind in ('r', 'p') and (n.nspname in ('orders', 'billing', 'access', 'deployments') or (n.nspname = 'holdpoint' and c.relname = 'policies')) group by c.oid order by 1`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(14);
    for (const row of rows) expect(row, row.table_name).toEqual({ table_name: row.table_name, triggers: ['a_version', 'no_truncate', 'z_history'] });
  });

  it('shows a lock row behind every side effect: its inserter touches the entity', async () => {
    for (const contract of tools) {
      const { rows } = await db.owner.query<{ tgname: string }>(`select tgname from pg_trigger where tgrelid = $1::regclass and tgname = 'b_touch' and tgenabled = 'O'`, [contract.sideEffectTable]);
      expect(rows, contract.sideEffectTable).toHaveLength(1);
    }
  });

  it('shows the history trigger deferred to the end of the transaction, so that the epoch comes last in every lock order', async () => {
    expect(await countOf(db, `select count(*) from pg_trigger where tgname = $1 and not (tgdeferrable and tginitdeferred)`, 'z_history')).toBe(0);
  });

  it('shows every function of the owner\'s rights with a fixed search path, and callable by those only who need it', async () => {
    const { rows } = await db.owner.query<{ name: string; path: string[] | null; by_worker: boolean; by_reader: boolean }>(
      `select p.oid::regproc::text as name, p.proconfig as path, has_function_privilege('holdpoint_worker', p.oid, 'execute') as by_worker, has_function_privilege('holdpoint_reader', p.oid, 'execute') as by_reader
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('holdpoint', 'orders', 'billing', 'access', 'deployments') and p.prosecdef order by 1`,
    );
    for (const row of rows) expect(row.path, row.name).toEqual(['search_path=pg_catalog']);
    expect(rows.filter((row) => row.by_reader).map((row) => row.name)).toEqual([]);
    expect(rows.filter((row) => row.by_worker).map((row) => row.name)).toEqual([...tools.map((tool) => commitFunction(tool.tool)), ...['admitted', 'bearer', 'close_op_key', 'commit_rollback', 'decide', 'hear', 'is_listed', 'not_taken', 'preview_rollback', 'remind', 'undelivered'].map((name) => `holdpoint.${name}`)].sort());
  });
});

describe('contracts', () => {
  it('have no problem', () => {
    expect(tools.flatMap(contractProblems)).toEqual([]);
  });

  it('with an empty clause, an unsorted lock order or an entity without its lock are told apart', () => {
    const sound = tools[0];
    if (sound === undefined) throw new Error('There are no tools.');
    expect(contractProblems({ ...sound, clauses: { ...sound.clauses, policy: ' ' } })).toEqual([expect.stringContaining('policy is empty')]);
    expect(contractProblems({ ...sound, locks: [...sound.locks].reverse() })).toEqual([expect.stringContaining('not sorted')]);
    expect(contractProblems({ ...sound, entity: 'policy' }).length).toBeGreaterThan(0);
    expect(contractProblems({ ...sound, effect: [...sound.effect].reverse() })).toEqual([expect.stringContaining('does not start with the entity')]);
  });

  it('with a name that is no name never become SQL', () => {
    const sound = tools[0];
    if (sound === undefined) throw new Error('There are no tools.');
    expect(() => commitFunctionSql({ ...sound, tool: `x'; drop table holdpoint.ledger; --` })).toThrow(TypeError);
  });
});

describe('migrations', () => {
  it('run a second time do nothing', async () => {
    expect(await migrate(db.ownerUrl)).toEqual({ applied: [], functions: [] });
    expect(await isCurrent(db.pool).catch(() => isCurrent(db.owner))).toBe(true);
  });

  it('run twice at once do nothing twice', async () => {
    expect(await Promise.all([migrate(db.ownerUrl), migrate(db.ownerUrl)])).toEqual([{ applied: [], functions: [] }, { applied: [], functions: [] }]);
  });

  it('renew a commit function whose text has changed, and only that', async () => {
    await db.owner.query(`update public.holdpoint_migrations set digest = 'old' where name = 'commit_grant_role'`);
    expect(await isCurrent(db.owner)).toBe(false);
    expect(await migrate(db.ownerUrl)).toEqual({ applied: [], functions: ['commit_grant_role'] });
  });

  it('refuse a file that was changed after it had been applied, and leave the database as it was', async () => {
    const { rows } = await db.owner.query<{ digest: string }>(`select digest from public.holdpoint_migrations where name = '0003_billing.sql'`);
    await db.owner.query(`update public.holdpoint_migrations set digest = 'other' where name = '0003_billing.sql'`);
    await expect(migrate(db.ownerUrl)).rejects.toThrow('0003_billing.sql');
    await db.owner.query(`update public.holdpoint_migrations set digest = $1 where name = '0003_billing.sql'`, [rows[0]?.digest]);
    expect(await migrate(db.ownerUrl)).toEqual({ applied: [], functions: [] });
  });
});
