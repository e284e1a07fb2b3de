/** The preview of a proposal: it shows exactly what the commit then does, says what the guard would say, and leaves nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeInWords, refusalNow, sinceInWords } from '../../contract/preview.ts';
import type { GuardKind } from '../../contract/guard.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { previewProposal } from '../../database/preview.ts';
import { seedWorld } from '../../database/worlds.ts';
import { tools } from '../../guards/tools/index.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { approve, guardOf, propose, requestFor, seedFor, toolCases, toolNames } from './support/tool-cases.ts';

let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(() => db.close());

const address = 'change_delivery_address';
const guards: readonly GuardKind[] = ['none', 'epoch', 'version', 'predicate'];

/** Everything that the database holds of one world, and all that no world has: row for row. */
async function everything(worldId: string): Promise<unknown> {
  const { rows: tables } = await db.owner.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname in ('holdpoint', 'orders', 'billing', 'access', 'deployments') order by 1`);
  const held: [string, unknown][] = [];
  for (const { name } of tables) held.push([name, (await db.owner.query(`select count(*)::int as rows, md5(coalesce(string_agg(t::text || t.ctid::text, ',' order by t::text), '')) as digest from ${name} t`)).rows[0]]);
  const { rows } = await db.owner.query('select epoch, last_xact::text from holdpoint.epochs where world_id = $1', [worldId]);
  const locks = await db.owner.query(`select 1 from pg_locks l join pg_stat_activity a using (pid) where a.backend_type = 'client backend' and l.pid <> pg_backend_pid() and l.mode <> 'ExclusiveLock' and l.relation is not null and l.database = (select oid from pg_database where datname = current_database())`);
  return { held, epoch: rows, locks: locks.rowCount };
}

describe.each(toolNames)('%s', (tool) => {
  test('shows what its commit then writes, to the column', async () => {
    const worldId = await seedFor(db, tool);
    const proposal = await propose(db, worldId, { tool });
    const before = await everything(worldId);
    const preview = await previewProposal(db.pool, worldId, proposal);
    expect(await everything(worldId)).toEqual(before);
    const request = requestFor(worldId, proposal, { guard: guardOf('predicate') });
    await approve(db, request);
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'committed' });
    const { rows } = await db.owner.query<{ table: string; old: Record<string, unknown> | null; new: Record<string, unknown> }>(
      `select table_name as table, old_row as old, new_row as new from holdpoint.row_history where world_id = $1 and op_key = $2 order by id`, [worldId, request.opKey]);
    if (preview.change.state !== 'shown') throw new Error(preview.change.state);
    expect(preview.change.rows.map((row) => row.table)).toEqual(rows.map((row) => row.table));
    for (const [index, shown] of preview.change.rows.entries()) {
      const { old, new: written } = rows[index] as (typeof rows)[number];
      const differs = Object.keys(written).filter((name) => name !== 'world_id' && name !== 'version' && !(old === null && /^(label|posting|grant|rollout)_id$/.test(name)) && JSON.stringify(old?.[name]) !== JSON.stringify(written[name]));
      expect(shown.columns).toEqual(differs.map((column) => ({ column, ...(old !== null && { before: old[column] }), after: written[column] })));
    }
  });

  test.each(toolCases[tool].spoilers.map((spoiler) => [spoiler.how, spoiler] as const))('when %s it says what each guard then says', async (_, spoiler) => {
    for (const kind of guards) {
      const worldId = await seedFor(db, tool);
      const proposal = await propose(db, worldId, { tool });
      for (const statement of spoiler.statements) await db.owner.query(statement, [worldId]);
      const preview = await previewProposal(db.pool, worldId, proposal);
      expect(Object.entries(preview.clauses).filter(([, held]) => !held).map(([clause]) => clause)).toEqual([spoiler.clause]);
      const request = requestFor(worldId, proposal, { guard: guardOf(kind) });
      await approve(db, request);
      const outcome = await commitProposal(db.pool, request);
      expect(refusalNow(preview, request.guard)).toBe(outcome.outcome === 'rejected' ? outcome.reason : null);
    }
  });
});

test('every tool has a preview that the worker may call and nobody else', async () => {
  const { rows } = await db.owner.query<{ worker: boolean; reader: boolean; definer: boolean }>(
    `select has_function_privilege('holdpoint_worker', p.oid, 'execute') as worker, has_function_privilege('holdpoint_reader', p.oid, 'execute') as reader, p.prosecdef as definer
     from pg_proc p where p.pronamespace = 'holdpoint'::regnamespace and starts_with(p.proname, 'preview_')`);
  const ofTool = { worker: true, reader: false, definer: false };
  // That of rollbacks deletes, which the worker may not.
  expect(rows.sort((a, b) => Number(a.definer) - Number(b.definer))).toEqual([...tools.map(() => ofTool), { ...ofTool, definer: true }]);
});

test('says what changed since the proposal, and by whom', async () => {
  const worldId = await seedFor(db, address);
  const proposal = await propose(db, worldId, { tool: address });
  expect(sinceInWords(await previewProposal(db.pool, worldId, proposal), guardOf('predicate'))).toEqual(['Nothing that was read has changed.', 'It would be let through.']);
  await db.owner.query(`with said as (select set_config('holdpoint.actor', 'warehouse', false), set_config('holdpoint.reason', 'packing', false)) update orders.orders set status = 'PACKING' from said where world_id = $1 and order_id = 'o1'`, [worldId]);
  const preview = await previewProposal(db.pool, worldId, proposal);
  expect(preview.rows[1]).toMatchObject({ table: 'orders.orders', versionRead: '1', versionNow: '2', columns: [{ column: 'status', before: 'PAID', after: 'PACKING' }], lastChange: { actor: 'warehouse', reason: 'packing' } });
  expect([preview.epochRead, preview.epochNow]).toEqual(['1', '2']);
  expect(sinceInWords(preview, guardOf('predicate'))).toEqual([
    'orders.orders/o1: version 1 -> 2; status PAID -> PACKING (warehouse: packing)', 'This would be refused (status_violated): The operational status does not allow the action.',
  ]);
  expect(changeInWords(preview)).toEqual(['orders.orders/o1: delivery_address "1 Old Street" -> "2 New Street"', 'orders.labels: insert address "2 New Street", order_id o1']);
});

describe('where it cannot be shown', () => {
  test('a row that somebody holds is busy, after a third of a second, and nothing is left', async () => {
    const worldId = await seedFor(db, address);
    const proposal = await propose(db, worldId, { tool: address });
    const holder = await db.owner.connect();
    await holder.query('begin');
    await holder.query('select from orders.orders where world_id = $1 for update', [worldId]);
    const before = await everything(worldId);
    const startedMs = Date.now();
    const preview = await previewProposal(db.pool, worldId, proposal);
    expect(Date.now() - startedMs).toBeLessThan(3_000);
    expect(await everything(worldId)).toEqual(before);
    await holder.query('rollback');
    holder.release();
    expect(preview).toMatchObject({ change: { state: 'busy' }, clauses: { status: true } });
    expect(refusalNow(preview, guardOf('predicate'))).toBeNull();
    expect(changeInWords(preview)[0]).toMatch(/in flight/);
  });

  test('an order that is gone is named', async () => {
    const worldId = await seedFor(db, address);
    const proposal = await propose(db, worldId, { tool: address });
    await db.owner.query(`delete from orders.orders where world_id = $1 and order_id = 'o1'`, [worldId]);
    const preview = await previewProposal(db.pool, worldId, proposal);
    expect(preview.change).toEqual({ state: 'gone', missing: ['orders.orders/o1'] });
    expect([refusalNow(preview, guardOf('none')), preview.rows[1]?.versionNow]).toEqual(['entity_missing', null]);
    expect(sinceInWords(preview, guardOf('none'))[0]).toMatch(/^orders\.orders\/o1: version 1 -> none; gone/);
  });

  test('an effect that the tables refuse is impossible, and nothing of it is left', async () => {
    const { rows } = toolCases.record_invoice;
    const worldId = await seedWorld(db.pool, 'too much', rows);
    const proposal = await propose(db, worldId, { tool: 'record_invoice' });
    await db.owner.query(`alter table billing.postings add constraint never_here check (world_id <> ${worldId}) not valid`);
    const before = await everything(worldId);
    const preview = await previewProposal(db.pool, worldId, proposal);
    expect(await everything(worldId)).toEqual(before);
    await db.owner.query('alter table billing.postings drop constraint never_here');
    expect(preview.change).toMatchObject({ state: 'impossible', why: expect.stringContaining('never_here') as string });
    expect(refusalNow(preview, guardOf('predicate'))).toBe('database_refused');
  });

  test('arguments that the tool does not take are impossible, and a tool that is none is an error', async () => {
    const worldId = await seedFor(db, 'record_invoice');
    const proposal = await propose(db, worldId, { tool: 'record_invoice' });
    expect((await previewProposal(db.pool, worldId, { ...proposal, arguments: { ...proposal.arguments, amountCents: 'many' } })).change).toMatchObject({ state: 'impossible' });
    await expect(previewProposal(db.pool, worldId, { ...proposal, tool: 'nothing' })).rejects.toBeInstanceOf(TypeError);
  });
});

test('a commit and fifty previews of the same row: the commit goes through once, and the epochs have no gap', async () => {
  const worldId = await seedFor(db, address);
  const proposal = await propose(db, worldId, { tool: address });
  const request = requestFor(worldId, proposal, { guard: guardOf('predicate') });
  await approve(db, request);
  const looks = Array.from({ length: 50 }, () => previewProposal(db.pool, worldId, proposal).then((preview) => preview.change.state, (error: unknown) => (error as Error).name));
  const [outcome, ...states] = await Promise.all([commitProposal(db.pool, request), ...looks]);
  expect(outcome).toMatchObject({ outcome: 'committed' });
  expect(new Set(states)).not.toContain('gone');
  const { rows } = await db.owner.query<{ epoch: string }>('select distinct epoch from holdpoint.row_history where world_id = $1 order by 1', [worldId]);
  expect(rows.map((row) => row.epoch)).toEqual(['1', '2']);
});
