/** The hold point with people: updates, signals, refusals of every kind, expiry, lost answers, and two decisions at once. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, updateIdOf, type DecisionResult } from '../../cli/runtime/decide.ts';
import { connect, startEpisode } from '../../cli/runtime/client.ts';
import type { Decision } from '../../contract/approval.ts';
import { pendingRequests, requestOf } from '../../database/approvals.ts';
import type { episode } from '../../workflows/index.ts';
import { held, holdOrder, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
});
afterAll(() => engine.close());

const say = (episodeId: string, decision: Decision, timeoutMs?: number): Promise<DecisionResult> =>
  decide({ client: engine.client, db: engine.database.pool, ...(timeoutMs !== undefined && { timeoutMs }) }, episodeId, decision);

test('a request waits in Postgres and in the UI with its exact command, and an update approves it', async () => {
  const { handle, decision } = await startHeld(engine, 'by-update');
  expect((await pendingRequests(engine.database.pool)).map((row) => row.opKey)).toContain('by-update:1');
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  expect(metadata.currentDetails).toContain(`npx holdpoint approve --digest ${decision.digest} -- by-update`);
  expect(metadata.currentDetails).toContain('npx holdpoint show -- by-update');
  expect(await say('by-update', { ...decision, comment: 'looks right' })).toMatchObject({ result: 'accepted', recorded: { verdict: 'approve', by: 'supervisor' } });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  expect(await requestOf(engine.database.pool, 'by-update:1')).toMatchObject({ verdict: 'approve', decidedBy: 'supervisor', via: 'update', comment: 'looks right', live: false });
  const { events } = await handle.fetchHistory();
  expect(events?.length).toBeLessThan(60);
});

test('a signal approves too, and is recorded as one', async () => {
  const { handle, decision } = await startHeld(engine, 'by-signal');
  await handle.signal('decision', decision);
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  expect(await requestOf(engine.database.pool, 'by-signal:1')).toMatchObject({ verdict: 'approve', via: 'signal' });
});

test('a rejection leaves no effect and closes the op key', async () => {
  const { handle, decision } = await startHeld(engine, 'no');
  expect(await say('no', { ...decision, verdict: 'reject', comment: 'wrong street' })).toMatchObject({ result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });
  expect(await ledgerOf(engine, 'no')).toEqual({ closed: 1 });
  expect(await requestOf(engine.database.pool, 'no:1')).toMatchObject({ verdict: 'reject', decidedBy: 'supervisor', via: 'update', comment: 'wrong street' });
});

describe('refused while the request stays pending', () => {
  let decision: Decision;
  beforeAll(async () => {
    ({ decision } = await startHeld(engine, 'refusing'));
  });
  test.each([
    ['another digest', { digest: 'b'.repeat(64) }, 'stale_proposal'], ['another step', { opKey: 'refusing:2' }, 'unknown_or_closed_request'], ['the proposer', { by: 'agent:always-act' }, 'not_authorised'],
    ['an unknown name', { by: 'mallory' }, 'not_authorised'], ['another case', { by: 'SUPERVISOR' }, 'not_authorised'], ['a trailing space', { by: 'supervisor ' }, 'not_authorised'],
    ['a look-alike letter', { by: 'supervis\u043er' }, 'not_authorised'], ['an empty name', { by: '' }, 'malformed_decision'],
  ])('%s', async (_, change, reason) => {
    expect(await say('refusing', { ...decision, ...change })).toMatchObject({ result: 'refused', reason, recorded: null });
    expect(await requestOf(engine.database.pool, 'refusing:1')).toMatchObject({ verdict: null, live: true });
  });
  test('each refusal is on record, with no row in the ledger, and a true approval still commits', async () => {
    const { rows } = await engine.database.owner.query<{ reason: string }>(`select reason from holdpoint.decision_refusals where starts_with(op_key, 'refusing:')`);
    expect(rows).toHaveLength(8);
    expect(await ledgerOf(engine, 'refusing')).toEqual({});
    expect(await say('refusing', decision)).toMatchObject({ result: 'accepted' });
    expect(await engine.client.workflow.getHandle('refusing').result()).toMatchObject({ class: 'committed' });
  });
});

test('refused signals are written down once, at the end, in one activity', async () => {
  const { handle, decision } = await startHeld(engine, 'signals');
  for (const by of ['mallory', 'eve', 'agent:always-act']) await handle.signal('decision', { ...decision, by });
  await handle.signal('decision', 7 as unknown as Decision);
  await handle.signal('decision', decision);
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  const { rows } = await engine.database.owner.query<{ reason: string }>(`select reason from holdpoint.decision_refusals where via = 'signal' order by refusal_id`);
  expect(rows.map((row) => row.reason)).toEqual(['not_authorised', 'not_authorised', 'not_authorised', 'malformed_decision']);
  expect((await handle.fetchHistory()).events?.length).toBeLessThan(60);
});

test('after closing a decision is refused as already_closed, and tells what was recorded', async () => {
  const { handle, decision } = await startHeld(engine, 'late');
  await say('late', decision);
  await handle.result();
  expect(await say('late', decision)).toMatchObject({ result: 'refused', recorded: { verdict: 'approve', by: 'supervisor' } });
  expect(await say('late', { ...decision, verdict: 'reject' })).toMatchObject({ result: 'refused', reason: 'already_closed', recorded: { verdict: 'approve' } });
  expect(await say('never-was', { ...decision, opKey: 'never-was:1' })).toMatchObject({ result: 'refused', reason: 'already_closed', recorded: null });
  expect(await ledgerOf(engine, 'late')).toEqual({ committed: 1 });
});

test('nobody answers: expired, no row, and the request is closed as expired', async () => {
  const outcome = await engine.run('silence', { approval: { mode: 'manual' }, windowMs: 300 });
  expect(outcome).toMatchObject({ class: 'not_approved', reason: 'proposal_expired' });
  expect(await ledgerOf(engine, 'silence')).toEqual({ closed: 1 });
  expect(await requestOf(engine.database.pool, 'silence:1')).toMatchObject({ verdict: 'expired' });
});

test('two approves at once, from two clients and by the same person: one is accepted', async () => {
  const [one, other] = await Promise.all([connect(engine.settings), connect(engine.settings)]);
  for (let round = 0; round < 10; round += 1) {
    const id = `both-approve-${String(round)}`;
    const { handle, decision } = await startHeld(engine, id);
    const results = await Promise.all([one, other].map(({ client }) => decide({ client, db: engine.database.pool }, id, decision)));
    expect(results.map((result) => result.result).sort()).toEqual(['accepted', 'refused']);
    expect(results.find((result) => result.result === 'refused')).toMatchObject({ recorded: { verdict: 'approve', by: 'supervisor' } });
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    expect(await ledgerOf(engine, id)).toEqual({ committed: 1 });
  }
  await Promise.all([one.close(), other.close()]);
});

test('approve and reject at once: one is accepted, and the ledger agrees with it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = `against-${String(round)}`;
    const { handle, decision } = await startHeld(engine, id);
    const [approved, rejected] = await Promise.all([say(id, decision), say(id, { ...decision, verdict: 'reject' })]);
    expect([approved.result, rejected.result].sort()).toEqual(['accepted', 'refused']);
    const refused = approved.result === 'refused' ? approved : rejected;
    expect(['already_decided', 'already_closed']).toContain(refused.reason);
    expect((await handle.result()).class).toBe(approved.result === 'accepted' ? 'committed' : 'not_approved');
    expect(await ledgerOf(engine, id)).toEqual(approved.result === 'accepted' ? { committed: 1 } : { closed: 1 });
  }
});

test('fifty pending episodes approved in another order: each row matches its own proposal', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `of-fifty-${String(index)}`);
  await Promise.all(ids.map((episodeId) => startEpisode(engine.client, { episodeId, input: { model: 'always-act', approval: { mode: 'manual' } } }, engine.start)));
  const decisions = await Promise.all(ids.map((id) => held(engine, id)));
  const order = [...decisions].reverse();
  await Promise.all(order.map((decision) => say(decision.opKey.replace(/:1$/, ''), decision)));
  await Promise.all(ids.map((id) => engine.client.workflow.getHandle(id).result()));
  const { rows } = await engine.database.owner.query(
    `select from holdpoint.ledger l join holdpoint.approvals a using (op_key) where starts_with(op_key, 'of-fifty-') and l.verdict = 'committed' and l.digest = a.digest`);
  expect(rows).toHaveLength(50);
}, 60_000);

describe('what the caller saw is not what happened', () => {
  test('a deadline passes while no worker is up: unknown, and asked again it tells the one decision', async () => {
    const { handle, decision } = await startHeld(engine, 'deadline');
    await engine.stopWorkers();
    expect(await say('deadline', decision, 1_000)).toMatchObject({ result: 'unknown', reason: null });
    await engine.restart();
    // The server may still hold the first call; whichever comes through, there is one decision.
    const again = await say('deadline', decision);
    expect(again.recorded).toMatchObject({ verdict: 'approve', by: 'supervisor' });
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    expect(await ledgerOf(engine, 'deadline')).toEqual({ committed: 1 });
  });

  test('a reject under the update id that approved does not pass for a success', async () => {
    const { handle, decision } = await startHeld(engine, 'same-id', { caseId: 'change-delivery-address/0/clean' });
    const lock = await holdOrder(engine, 'same-id');
    await say('same-id', decision);
    // The server answers a known id with the first result; whoever sent it can tell by the verdict and the call in the answer.
    const answer = await engine.client.workflow.getHandle<typeof episode>('same-id').executeUpdate<{ verdict: string; call: string }, [Decision, string?]>('decide', { args: [{ ...decision, verdict: 'reject' }, 'mine'], updateId: updateIdOf(decision) });
    expect(answer.verdict).toBe('approve');
    expect(answer.call).not.toBe('mine');
    expect(await say('same-id', { ...decision, verdict: 'reject' })).toMatchObject({ result: 'refused', reason: 'already_decided', recorded: { verdict: 'approve', by: 'supervisor' } });
    expect(await say('same-id', decision)).toMatchObject({ result: 'refused', reason: 'already_decided' });
    await lock.release();
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    expect(await ledgerOf(engine, 'same-id')).toEqual({ committed: 1 });
  });

  test('a raw update that is refused fails with the typed reason', async () => {
    const { decision } = await startHeld(engine, 'typed');
    const sent = engine.client.workflow.getHandle('typed').executeUpdate('decide', { args: [{ ...decision, by: 'mallory' }] });
    await expect(sent).rejects.toSatisfy((error) => error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure && error.cause.type === 'not_authorised');
    await say('typed', { ...decision, verdict: 'reject' });
  });

  test('a late duplicate for step 1 leaves step 2 pending', async () => {
    const { handle, decision } = await startHeld(engine, 'two-steps', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' } });
    await say('two-steps', decision);
    const second = await held(engine, 'two-steps', 2);
    expect(await say('two-steps', { ...decision, by: 'auto' })).toMatchObject({ result: 'refused', reason: 'unknown_or_closed_request' });
    expect(await requestOf(engine.database.pool, 'two-steps:2')).toMatchObject({ verdict: null, live: true });
    expect(await say('two-steps', second)).toMatchObject({ result: 'accepted' });
    expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  });
});
