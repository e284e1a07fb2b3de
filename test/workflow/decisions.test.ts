/** Decisions by people who prove who they are: two of them, an edit, a hand-over, a reminder, a right withdrawn meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProposerRequest } from '../../activities/index.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import { requestOf } from '../../database/approvals.ts';
import { decisionsOf, hear } from '../../database/decisions.ts';
import { createToken, revokeToken, tokenHash } from '../../database/tokens.ts';
import { planOf } from '../../scenarios/plan.ts';
import { update, voiceOf, type Voice } from '../support/people.ts';
import { episodeRow, held, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const plan = planOf('change-delivery-address/0/clean');
const edited = { ...plan.arguments, newAddress: '9 Edited Road' };
const policies: Readonly<Record<string, string>> = { 'two-people': 'approvals_needed = 2', 'with-proof': 'unauthenticated = false', plain: 'note = note' };

let engine: Engine;
let asked = 0;
let maria: Voice;
let supervisor: Voice;
beforeAll(async () => {
  engine = await testEngine({ proposer });
  maria = (await voiceOf(engine, 'maria.lindqvist')).say;
  supervisor = (await voiceOf(engine, 'supervisor')).say;
});
afterAll(() => engine.close());

/** The model's name says what policy its worlds get before it answers. */
async function proposer({ model, observation }: ProposerRequest): Promise<Proposed> {
  asked += 1;
  await engine.database.owner.query(`update holdpoint.policies set ${policies[model] ?? ''} where world_id = $1`, [observation.worldId]);
  return { kind: 'act', reply: { decision: 'act', tool: plan.tool, arguments: plan.arguments }, replyDigest: '0'.repeat(64), asked: true, attempts: [] };
}

const addressOf = async (episodeId: string): Promise<unknown> => {
  const { worldId } = await episodeRow(engine, episodeId);
  return (await engine.database.owner.query<{ a: string }>('select delivery_address as a from orders.orders where world_id = $1 and order_id = $2', [worldId, plan.arguments['orderId']])).rows[0]?.a;
};

test('two people must approve where the policy says so: the first is counted, the second commits, and both are on record', async () => {
  const { handle, decision } = await startHeld(engine, 'two', { model: 'two-people' });
  expect(await update(engine, 'two', decision)).toMatchObject({ result: 'refused', reason: 'not_authenticated' });
  expect(await maria('two', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted', accepted: { approvals: 1, needed: 2 } });
  expect(await handle.query('progress')).toMatchObject({ phase: 'held', request: { needed: 2, approvedBy: ['maria.lindqvist'] }, decided: null });
  expect((await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails).toContain('1 of 2, maria.lindqvist');
  expect(await maria('two', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted', accepted: { approvals: 1 } });
  expect(await supervisor('two', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted', accepted: { approvals: 2 } });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  const request = await requestOf(engine.database.pool, 'two:1');
  expect(request).toMatchObject({ verdict: 'approve', decidedBy: 'supervisor', via: 'cli' });
  expect((await decisionsOf(engine.database.pool, { episodeId: 'two' })).map((said) => [said.decisionId, said.person, said.refused])).toEqual(
    (request?.decisionIds ?? []).map((id, at) => [id, ['maria.lindqvist', 'supervisor'][at], null]));
});

test('where the policy asks for proof, a bare update and a signal are refused with that reason, and a proof is let through', async () => {
  const { handle, decision } = await startHeld(engine, 'proof', { model: 'with-proof' });
  expect(await update(engine, 'proof', decision)).toMatchObject({ reason: 'not_authenticated' });
  expect(await update(engine, 'proof', { ...decision, decisionId: 1 })).toMatchObject({ reason: 'not_authenticated' });
  await handle.signal('decision', decision);
  expect(await maria('proof', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  const { rows } = await engine.database.owner.query(`select reason from holdpoint.decision_refusals where op_key = 'proof:1'`);
  expect(rows).toEqual([{ reason: 'not_authenticated' }]);
  expect((await engine.client.workflow.getHandle('proof').fetchHistory()).events?.length).toBeLessThan(60);
});

test('an edit is a new proposal: read again, shown again, approved by another than the editor, and no model is asked', async () => {
  const { handle, decision } = await startHeld(engine, 'edit', { model: 'plain', replans: 0 });
  const askedBefore = asked;
  expect(await maria('edit', decision, { kind: 'edit', arguments: JSON.stringify(edited), comment: 'typo' })).toMatchObject({ result: 'accepted' });
  const second = await held(engine, 'edit', 2);
  expect(second.digest).not.toBe(decision.digest);
  expect(await requestOf(engine.database.pool, 'edit:2')).toMatchObject({ proposer: 'person:maria.lindqvist', verdict: null });
  expect(await maria('edit', second, { kind: 'approve' })).toMatchObject({ reason: 'not_authorised' });
  expect(await update(engine, 'edit', { ...second, by: 'maria.lindqvist' })).toMatchObject({ reason: 'not_authorised' });
  expect(await supervisor('edit', decision, { kind: 'approve' })).toMatchObject({ reason: 'already_decided', message: 'edit by maria.lindqvist' });
  expect(await supervisor('edit', second, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  expect(await addressOf('edit')).toBe(edited.newAddress);
  expect([await ledgerOf(engine, 'edit'), asked]).toEqual([{ closed: 1, committed: 1 }, askedBefore]);
  expect(await requestOf(engine.database.pool, 'edit:1')).toMatchObject({ verdict: 'edit', decidedBy: 'maria.lindqvist', via: 'cli', comment: 'typo' });
  const { rows } = await engine.database.owner.query(`select reason from holdpoint.ledger where op_key = 'edit:1'`);
  expect(rows).toEqual([{ reason: 'edited' }]);
});

test.each([
  ['arguments that the tool does not take', { ...edited, amount: 5 }, 'invalid_arguments'],
  ['a row that does not exist', { ...edited, orderId: 'ord-none' }, 'entity_missing'],
])('an edit with %s ends the episode with that reason, and nothing is written', async (_, args, reason) => {
  const id = `edit-${reason}`;
  const { handle, decision } = await startHeld(engine, id, { model: 'plain' });
  await maria(id, decision, { kind: 'edit', arguments: JSON.stringify(args) });
  expect(await handle.result()).toMatchObject({ class: 'refused', reason });
  expect(await ledgerOf(engine, id)).toEqual({ closed: 2 });
});

test('an edit that nobody was heard saying proposes nothing', async () => {
  const { handle, decision } = await startHeld(engine, 'forged-edit', { model: 'plain' });
  await engine.database.owner.query(`insert into holdpoint.decisions (op_key, digest, kind, person, identity, via, arguments, refused) values ('other:1', $1, 'edit', 'supervisor', 'token:x', 'cli', '{}', null)`, [decision.digest]);
  const { rows } = await engine.database.owner.query<{ id: number }>(`select d.decision_id::int as id from holdpoint.decisions d where d.op_key = 'other:1'`);
  expect(await update(engine, 'forged-edit', { ...decision, verdict: 'edit', decisionId: rows[0]?.id ?? 0 })).toMatchObject({ reason: 'not_authenticated' });
  expect(await supervisor('forged-edit', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
});

test('a request that was handed on is decided by that person only, through every door', async () => {
  const { handle, decision } = await startHeld(engine, 'handed-on', { model: 'plain' });
  expect(await maria('handed-on', decision, { kind: 'escalate', to: 'supervisor', comment: 'yours' })).toMatchObject({ result: 'accepted' });
  expect(await handle.query('progress')).toMatchObject({ phase: 'held', request: { assignedTo: 'supervisor' }, decided: null });
  expect(await maria('handed-on', decision, { kind: 'approve' })).toMatchObject({ reason: 'handed_on' });
  expect(await update(engine, 'handed-on', { ...decision, by: 'maria.lindqvist' })).toMatchObject({ reason: 'handed_on' });
  expect(await supervisor('handed-on', decision, { kind: 'reject', comment: 'no' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });
  expect(await requestOf(engine.database.pool, 'handed-on:1')).toMatchObject({ verdict: 'reject', decidedBy: 'supervisor', via: 'cli', comment: 'no' });
});

test('people are reminded once within the window, and its end is an expiry, not consent', async () => {
  const { handle } = await startHeld(engine, 'reminded', { model: 'plain', windowMs: 3_000, approval: { mode: 'manual', remindAfterMs: 500 } });
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'proposal_expired' });
  expect(await decisionsOf(engine.database.pool, { episodeId: 'reminded' })).toMatchObject([{ kind: 'remind', identity: 'engine', via: 'engine', refused: null }]);
  expect(await requestOf(engine.database.pool, 'reminded:1')).toMatchObject({ verdict: 'expired', decidedBy: 'engine' });
  expect(await ledgerOf(engine, 'reminded')).toEqual({ closed: 1 });
});

test('a decision after the reminder is still in time', async () => {
  const { handle, decision } = await startHeld(engine, 'in-time', { model: 'plain', windowMs: 60_000, approval: { mode: 'manual', remindAfterMs: 300 } });
  await expect.poll(async () => (await decisionsOf(engine.database.pool, { episodeId: 'in-time' })).length, { timeout: 15_000 }).toBe(1);
  expect(await maria('in-time', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
});

test('a token that is revoked before its approval reaches the episode: refused there, and the request waits for somebody else', async () => {
  const { say, tokenId } = await voiceOf(engine, 'maria.lindqvist');
  const { handle, decision } = await startHeld(engine, 'withdrawn', { model: 'plain' });
  await engine.stopWorkers();
  const approving = say('withdrawn', decision, { kind: 'approve' });
  await expect.poll(async () => (await decisionsOf(engine.database.pool, { opKey: decision.opKey })).length).toBe(1);
  await revokeToken(engine.database.owner, tokenId);
  await engine.restart({ proposer });
  expect(await approving).toMatchObject({ result: 'refused', reason: 'not_authorised' });
  expect((await decisionsOf(engine.database.pool, { opKey: decision.opKey })).map((row) => row.refused)).toEqual(['not_authorised']);
  expect(await handle.query('progress')).toMatchObject({ phase: 'held', decided: null });
  expect(await supervisor('withdrawn', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
});

test('a token that is revoked after the episode took its approval denies in the commit', async () => {
  const { say, tokenId } = await voiceOf(engine, 'maria.lindqvist');
  const { token } = await createToken(engine.database.owner, { person: 'supervisor', scopes: ['approve'], ttlMs: 60_000 });
  const { handle, decision } = await startHeld(engine, 'denied', { model: 'two-people' });
  expect(await say('denied', decision, { kind: 'approve' })).toMatchObject({ result: 'accepted' });
  const heard = await hear(engine.database.pool, tokenHash(token), { kind: 'approve', opKey: decision.opKey, digest: decision.digest, via: 'cli', comment: '' });
  // Whoever holds the request's row holds the commit before it looks at anybody's rights; the admission at the episode's door needs no lock.
  const holder = await engine.database.owner.connect();
  await holder.query('begin');
  await holder.query('select from holdpoint.approvals where op_key = $1 for update', [decision.opKey]);
  expect(await update(engine, 'denied', { ...decision, by: 'supervisor', decisionId: heard.decisionId })).toMatchObject({ result: 'accepted' });
  await expect.poll(async () => (await engine.database.owner.query('select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0')).rowCount).toBe(1);
  await revokeToken(engine.database.owner, tokenId);
  await holder.query('rollback');
  holder.release();
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'not_authorised' });
  expect([await ledgerOf(engine, 'denied'), await addressOf('denied')]).toEqual([{ closed: 1, rejected: 1 }, expect.not.stringMatching(String(plan.arguments['newAddress']))]);
});
