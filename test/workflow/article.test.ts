/** The five tests that the seed article asks of the system around a model: the world moves between a proposal and its execution. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide } from '../../cli/runtime/decide.ts';
import type { Decision } from '../../contract/approval.ts';
import { requestOf } from '../../database/approvals.ts';
import { planOf } from '../../scenarios/plan.ts';
import { update, voiceOf, type Voice } from '../support/people.ts';
import { episodeRow, held, holdOrder, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const plan = planOf('change-delivery-address/0/clean');
let engine: Engine;
let maria: Voice;
let supervisor: Voice;
beforeAll(async () => {
  engine = await testEngine();
  maria = (await voiceOf(engine, 'maria.lindqvist')).say;
  supervisor = (await voiceOf(engine, 'supervisor')).say;
});
afterAll(() => engine.close());

/** What the world shows: the order, and every label that was printed for it after the first. */
async function worldOf(episodeId: string): Promise<{ address: string; status: string; labels: string[] }> {
  const { worldId } = await episodeRow(engine, episodeId);
  const { rows } = await engine.database.owner.query<{ address: string; status: string; labels: string[] }>(
    `select o.delivery_address as address, o.status, (select coalesce(array_agg(l.address order by l.label_id), '{}') from orders.labels l where l.world_id = o.world_id and l.order_id = o.order_id) as labels
     from orders.orders o where o.world_id = $1 and o.order_id = $2`, [worldId, plan.arguments['orderId']]);
  return rows[0] as { address: string; status: string; labels: string[] };
}

async function changeWorldOf(episodeId: string, sql: string): Promise<void> {
  const { worldId } = await episodeRow(engine, episodeId);
  await engine.database.owner.query(sql, [worldId]);
}

test.each([
  ['predicate', 'status_violated'], ['version', 'read_set_stale'],
] as const)('entity changes: the warehouse starts packing while the manager thinks, and the action is rejected (%s: %s)', async (kind, reason) => {
  const id = `entity-${kind}`;
  const { handle, decision } = await startHeld(engine, id, { guard: { kind }, replans: 0 });
  const before = await worldOf(id);
  await changeWorldOf(id, `update orders.orders set status = 'PACKING' where world_id = $1`);
  expect(await maria(id, decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'refused', reason });
  expect(await worldOf(id)).toEqual({ ...before, status: 'PACKING' });
  expect(await ledgerOf(engine, id)).toEqual({ rejected: 1, closed: 1 });
});

test.each([
  ['with a token', 'expires', (id: string, decision: Decision) => maria(id, decision, { kind: 'approve' })],
  ['by a bare update', 'expires-bare', (id: string, decision: Decision) => decide({ client: engine.client, db: engine.database.pool }, id, decision)],
] as const)('approval expires: given %s in time and executed too late it is refused, and the workflow replans and asks again', async (_, id, approve) => {
  const { handle, decision } = await startHeld(engine, id, { windowMs: 2_500 });
  const lock = await holdOrder(engine, id);
  expect(await approve(id, decision)).toMatchObject({ result: 'accepted' });
  await expect.poll(async () => Date.parse((await requestOf(engine.database.pool, `${id}:1`))?.expiresAt ?? '') < Date.now() - 100, { timeout: 10_000 }).toBe(true);
  await lock.release();
  const second = await held(engine, id, 2);
  expect(second.digest).toBe(decision.digest); // the world has not moved: only the op key tells the two requests apart
  expect(await ledgerOf(engine, id)).toEqual({ rejected: 1, closed: 1 });
  expect(await approve(id, second)).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
});

test('approval expires: nobody answers, and the workflow ends without an effect', async () => {
  const { handle } = await startHeld(engine, 'nobody-answers', { windowMs: 700 });
  const before = await worldOf('nobody-answers');
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'proposal_expired' });
  expect([await ledgerOf(engine, 'nobody-answers'), await worldOf('nobody-answers')]).toEqual([{ closed: 1 }, before]);
});

test('duplicate callback: the same approval arrives five times through three doors, and one write occurs', async () => {
  const { handle, decision } = await startHeld(engine, 'duplicate');
  const { labels } = await worldOf('duplicate');
  const raw = { ...decision, by: 'maria.lindqvist' };
  await Promise.all([
    maria('duplicate', decision, { kind: 'approve' }), maria('duplicate', decision, { kind: 'approve' }), update(engine, 'duplicate', raw), update(engine, 'duplicate', raw),
    handle.signal('decision', raw).catch(() => undefined), // the episode may have ended by then
  ]);
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  expect(await ledgerOf(engine, 'duplicate')).toEqual({ committed: 1 });
  expect((await worldOf('duplicate')).labels).toEqual([...labels, plan.arguments['newAddress']]);
  expect(await maria('duplicate', decision, { kind: 'approve' })).toMatchObject({ result: 'refused' });
  expect(await ledgerOf(engine, 'duplicate')).toEqual({ committed: 1 });
});

test('permission changes: the approver is taken off the list while the commit waits, and the action is denied', async () => {
  const { handle, decision } = await startHeld(engine, 'permission');
  const before = await worldOf('permission');
  const { worldId } = await episodeRow(engine, 'permission');
  const owner = await engine.database.owner.connect();
  await owner.query('begin');
  await owner.query(`update holdpoint.policies set approvers = '{supervisor}' where world_id = $1`, [worldId]);
  expect(await maria('permission', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
  await expect.poll(async () => (await engine.database.owner.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [rows[0]?.pid])).rowCount, { timeout: 15_000 }).toBe(1);
  await owner.query('commit');
  owner.release();
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'not_authorised' });
  expect([await ledgerOf(engine, 'permission'), await worldOf('permission')]).toEqual([{ rejected: 1, closed: 1 }, before]);
});

test('parameters change: an approval of the earlier ones is worth nothing, and approval is requested again', async () => {
  const { handle, decision } = await startHeld(engine, 'parameters');
  const changed = { ...plan.arguments, newAddress: '500 Other Avenue' };
  expect(await maria('parameters', decision, { kind: 'edit', arguments: JSON.stringify(changed) })).toMatchObject({ result: 'accepted' });
  const second = await held(engine, 'parameters', 2);
  expect(await supervisor('parameters', { opKey: second.opKey, digest: decision.digest }, { kind: 'approve' })).toMatchObject({ result: 'refused', reason: 'stale_proposal' });
  expect(await update(engine, 'parameters', { ...decision, opKey: second.opKey })).toMatchObject({ result: 'refused', reason: 'stale_proposal' });
  expect(await requestOf(engine.database.pool, second.opKey)).toMatchObject({ verdict: null, live: true });
  expect(await supervisor('parameters', second, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  expect((await worldOf('parameters')).address).toBe(changed.newAddress);
});
