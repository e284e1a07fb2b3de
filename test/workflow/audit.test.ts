/** The decision boundary and the timeline of episodes that were committed, refused, expired, edited and retried, on the real engine. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { auditOf, describe as inWords } from '../../cli/audit.ts';
import { main } from '../../cli/main.ts';
import { boundaryOf } from '../../database/audit.ts';
import { commitProposal, commitQuery } from '../../database/commit/commit.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import type { BoundaryRow } from '../../contract/episode-facts.ts';
import { failures } from '../../contract/failures.ts';
import { planOf } from '../../scenarios/plan.ts';
import { approve, guardOf, propose, requestFor, seedFor } from '../database/support/tool-cases.ts';
import { update, voiceOf, type Voice } from '../support/people.ts';
import { episodeRow, held, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const plan = planOf('change-delivery-address/0/clean');
const orderKey = String(plan.arguments['orderId']);
let engine: Engine;
let reader: Pool;
let maria: { readonly say: Voice; readonly tokenId: string };
let supervisor: Voice;
beforeAll(async () => {
  engine = await testEngine();
  reader = createPool({ url: roleUrl(engine.database.ownerUrl, 'holdpoint_reader'), max: 2, name: 'test-audit' });
  maria = await voiceOf(engine, 'maria.lindqvist');
  supervisor = (await voiceOf(engine, 'supervisor')).say;
});
afterAll(async () => {
  await reader.end();
  await engine.close();
});

/** The boundary's only row. */
async function only(episodeId: string): Promise<BoundaryRow> {
  const rows = await boundaryOf(reader, episodeId);
  expect(rows).toHaveLength(1);
  return rows[0] as BoundaryRow;
}

test('committed: who approved by which token, what was asked and found, in the order of the clock', async () => {
  const { handle, decision } = await startHeld(engine, 'audit-committed');
  expect(await only('audit-committed')).toMatchObject({ outcome: 'waiting', decision: null, decidedBy: null, identity: null, call: null, attempts: 0, reason: null, disposition: null, asked: null });
  await maria.say('audit-committed', decision, { kind: 'comment', comment: 'called the customer' }).catch(() => undefined);
  await maria.say('audit-committed', decision, { kind: 'approve' });
  await handle.result();
  const row = await only('audit-committed');
  expect(row).toMatchObject({
    opKey: 'audit-committed:1', episodeId: 'audit-committed', step: 1, tool: plan.tool, digest: decision.digest, proposer: 'agent:always-act',
    decision: 'approve', decidedBy: ['maria.lindqvist'], identity: [`token:${maria.tokenId}`], via: 'cli',
    outcome: 'committed', disposition: 'COMPLETED', reason: null, refusedBy: null, asked: ['notApplied', 'status', 'policy', 'integrity'],
    clauses: { status: true, policy: true, integrity: true, notApplied: true }, call: 'new', attempts: 1, closedAt: null,
  });
  expect(row.rows).toContainEqual({ table: 'orders.orders', key: orderKey, read: '1', found: '1' });
  const order = [row.proposedAt, row.executionStartedAt, row.lockRequestedAt, row.lockedAt, row.endedAt];
  expect(order).toEqual([...order].sort());
  const { said, timeline } = await auditOf(reader, 'audit-committed');
  expect(said.map(({ kind, person, refused }) => [kind, person, refused])).toEqual([['comment', 'maria.lindqvist', null], ['approve', 'maria.lindqvist', null]]);
  const events = timeline.map((entry) => entry.event);
  for (const [earlier, later] of [['opened', 'proposed'], ['proposed', 'comment'], ['comment', 'approve'], ['approve', 'execution started'], ['locked', 'committed'], ['committed', 'ended']] as const) expect(events.indexOf(earlier)).toBeLessThan(events.indexOf(later));
  expect(timeline.filter((entry) => entry.event === 'effect').map((entry) => entry.text)).toContainEqual(expect.stringContaining(String(plan.arguments['newAddress'])));
});

test('refused: the version read and the one found, the clause, and who had moved the row', async () => {
  const { handle, decision } = await startHeld(engine, 'audit-refused');
  const { worldId } = await episodeRow(engine, 'audit-refused');
  await engine.database.owner.query(`with said as (select set_config('holdpoint.actor', 'warehouse', false), set_config('holdpoint.reason', 'packing began', false)) update orders.orders set status = 'PACKING' from said where world_id = $1 and order_id = $2`, [worldId, orderKey]);
  expect(await update(engine, 'audit-refused', { ...decision, by: 'mallory' })).toMatchObject({ result: 'refused' });
  await supervisor('audit-refused', decision, { kind: 'approve' });
  expect(await maria.say('audit-refused', decision, { kind: 'reject', comment: '\u001b[31mtoo late' })).toMatchObject({ result: 'refused' });
  await handle.result();
  const row = await only('audit-refused');
  expect(row).toMatchObject({ outcome: 'refused', reason: 'status_violated', refusedBy: 'status', disposition: 'ESCALATE', clauses: { status: false, policy: true, integrity: true, notApplied: true }, closedReason: 'status_violated', call: 'new' });
  expect(row.rows).toContainEqual({ table: 'orders.orders', key: orderKey, read: '1', found: '2' });
  const audit = await auditOf(reader, 'audit-refused');
  expect(audit.said).toMatchObject([{ kind: 'approve', person: 'supervisor', refused: null }, { kind: 'reject', person: 'maria.lindqvist', refused: expect.any(String) as string }]);
  expect(audit.timeline).toContainEqual(expect.objectContaining({ event: 'world changed', who: 'warehouse', text: `packing began: orders.orders/${orderKey} version 2: status "PAID" -> "PACKING"` }));
  const text = inWords(audit);
  expect(text).not.toContain('\u001b');
  expect(text).toContain(`orders.orders/${orderKey} version 2, read at 1`);
});

test('expired: nobody answered, nothing was executed, and the engine said so', async () => {
  const { handle } = await startHeld(engine, 'audit-expired', { windowMs: 600 });
  await handle.result();
  expect(await only('audit-expired')).toMatchObject({
    outcome: 'closed', decision: 'expired', decidedBy: ['engine'], identity: ['engine'], reason: 'proposal_expired', disposition: 'REPLAN', call: null, executionStartedAt: null, closedReason: 'proposal_expired',
  });
});

test('edited: the first step ends as edited by a person, the second is resumed and approved by another', async () => {
  const { handle, decision } = await startHeld(engine, 'audit-edited');
  await maria.say('audit-edited', decision, { kind: 'edit', arguments: JSON.stringify({ ...plan.arguments, newAddress: '1 Edited Road' }) });
  const second = await held(engine, 'audit-edited', 2);
  await supervisor('audit-edited', second, { kind: 'approve' });
  await handle.result();
  expect(await boundaryOf(reader, 'audit-edited')).toMatchObject([
    { step: 1, outcome: 'closed', decision: 'edit', decidedBy: ['maria.lindqvist'], identity: [`token:${maria.tokenId}`], reason: 'edited', disposition: 'REPLAN', call: null },
    { step: 2, outcome: 'committed', proposer: 'person:maria.lindqvist', decidedBy: ['supervisor'], call: 'resumed', disposition: 'COMPLETED' },
  ]);
});

test('a bare update and the simulated approver are told apart from people with tokens', async () => {
  const { handle, decision } = await startHeld(engine, 'audit-bare');
  await update(engine, 'audit-bare', decision);
  await handle.result();
  await engine.run('audit-auto');
  expect([(await only('audit-bare')), (await only('audit-auto'))]).toMatchObject([
    { decidedBy: ['supervisor'], identity: ['unauthenticated'], via: 'update' }, { decidedBy: ['auto'], identity: ['simulated'], via: 'auto' },
  ]);
  expect((await auditOf(reader, 'audit-bare')).said).toMatchObject([{ kind: 'approve', person: 'supervisor', identity: 'unauthenticated' }]);
});

test('retried: a first attempt whose transaction was lost, and a second one that committed; a step that was replayed stays new', async () => {
  const { database: db } = engine;
  const worldId = await seedFor(db, 'change_delivery_address');
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'change_delivery_address' }), { guard: guardOf('version'), opKey: 'retried:1' });
  await approve(db, request);
  const line = await db.pool.connect();
  await line.query('begin');
  await line.query(commitQuery(request));
  await line.query('rollback');
  line.release();
  expect(await commitProposal(db.pool, { ...request, attempt: 2 })).toMatchObject({ outcome: 'committed' });
  expect(await commitProposal(db.pool, { ...request, attempt: 3 })).toMatchObject({ outcome: 'replayed' });
  expect(await boundaryOf(reader, 'test')).toMatchObject([{ opKey: 'retried:1', call: 'retried', attempts: 2, asked: ['version'], outcome: 'committed' }]);
});

test('a key that nobody was asked about, and a proposal that jsonb cannot hold, stop nothing', async () => {
  await engine.run('audit-abstained', { model: 'always-abstain' });
  expect(await only('audit-abstained')).toMatchObject({ proposedAt: null, outcome: 'closed', reason: 'op_key_closed', disposition: 'ESCALATE', rows: null });
  await engine.database.owner.query(`insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at) values ('odd:1', 1, 'odd', $1, $2, 't', 'agent:x', now())`, ['a'.repeat(64), '{"arguments":{"a":"\\u0000"},"readSet":[]}']);
  expect(await only('odd')).toMatchObject({ rows: null, outcome: 'waiting' });
});

test('every reason of the registry has its row, and the reader reads the view and writes nothing', async () => {
  const { rows } = await reader.query<{ reason: string; disposition: string }>('select reason, disposition from holdpoint.failures');
  expect(Object.fromEntries(rows.map((row) => [row.reason, row.disposition]))).toEqual(Object.fromEntries(Object.entries(failures).map(([reason, entry]) => [reason, entry.disposition])));
  await expect(reader.query('delete from holdpoint.failures')).rejects.toMatchObject({ code: '42501' });
});

test('the command prints the same as JSON, and one sentence where nothing is known', async () => {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0), vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0)];
  vi.stubEnv('DATABASE_URL', engine.database.ownerUrl);
  try {
    await main(['node', 'holdpoint', 'audit', 'audit-refused', '--json']);
    expect(JSON.parse(out.join(''))).toMatchObject({ episodeId: 'audit-refused', boundary: [{ refusedBy: 'status' }] });
    await main(['node', 'holdpoint', 'audit', 'nobody']);
    expect([process.exitCode, err.join('')]).toEqual([1, 'holdpoint: Nothing is known of an episode "nobody": `holdpoint approvals` lists what waits.\n']);
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
});
