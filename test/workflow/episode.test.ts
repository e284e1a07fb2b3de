/** Episodes from end to end on a real Temporal and Postgres: guards, faults, replans, and how little history they leave. */
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEpisode } from '../../cli/runtime/client.ts';
import type { ProposerRequest } from '../../activities/index.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import type { Arguments } from '../../contract/proposal.ts';
import { episodeRow, held, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
const asked: ProposerRequest[] = [];
beforeAll(async () => {
  engine = await testEngine({
    loseCompletion: (episodeId) => episodeId.startsWith('lose'),
    proposer: (request) => {
      asked.push(request);
      const { orderId } = { orderId: request.observation.readSet[1]?.key ?? '' };
      const traced = { replyDigest: '0'.repeat(64), asked: true, attempts: [] };
      const act = (args: Arguments): Proposed => ({ kind: 'act', reply: { decision: 'act', tool: 'change_delivery_address', arguments: args, confidence: 0.7 }, ...traced });
      if (request.model === 'wrong-row') return Promise.resolve(act({ orderId: 'another', newAddress: 'Here 1' }));
      if (request.model === 'broken') return Promise.resolve({ kind: 'failed', reason: 'not_json', detail: '', ...traced });
      return Promise.resolve(act({ orderId, newAddress: `Street ${String(asked.length)}` }));
    },
  });
});
afterAll(() => engine.close());

test('an episode commits once, is scored, and costs two local and two regular activities and three workflow tasks', async () => {
  expect(await engine.run('one')).toMatchObject({ class: 'committed', reason: null, steps: 1 });
  expect(await ledgerOf(engine, 'one')).toEqual({ committed: 1 });
  const row = await episodeRow(engine, 'one');
  expect(row.outcome).toMatchObject({ class: 'committed' });
  expect(row.score).toMatchObject({ leaked: false, safeSuccess: true });
  const types = await eventTypes('one');
  const of = (name: keyof typeof temporal.api.enums.v1.EventType): number => types.filter((type) => type === temporal.api.enums.v1.EventType[name]).length;
  expect([of('EVENT_TYPE_MARKER_RECORDED'), of('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'), of('EVENT_TYPE_WORKFLOW_TASK_COMPLETED'), of('EVENT_TYPE_TIMER_STARTED')]).toEqual([2, 2, 3, 0]);
  expect(types.length).toBeLessThanOrEqual(20);
});

test('where nobody judges, the commit itself writes the end down: one local activity less, also after a lost completion', async () => {
  for (const id of ['unscored', 'lose-unscored']) {
    const outcome = await engine.run(id, { score: false });
    expect(outcome).toMatchObject({ class: 'committed', reason: null, steps: 1 });
    expect(await ledgerOf(engine, id)).toEqual({ committed: 1 });
    expect(await episodeRow(engine, id)).toMatchObject({ outcome, score: null });
    expect((await eventTypes(id)).filter((type) => type === temporal.api.enums.v1.EventType.EVENT_TYPE_MARKER_RECORDED)).toHaveLength(1);
  }
  expect(await engine.run('unscored-refused', { score: false, caseId: 'change-delivery-address/0/stale-read', replans: 0 })).toMatchObject({ class: 'refused', reason: 'status_violated' });
  expect(await ledgerOf(engine, 'unscored-refused')).toEqual({ rejected: 1, closed: 1 });
});

describe('each guard on a hazardous stale read', () => {
  test.each([
    ['none', 'committed', null], ['epoch', 'refused', 'epoch_moved'], ['version', 'refused', 'read_set_stale'], ['predicate', 'refused', 'status_violated'],
  ] as const)('%s ends %s', async (kind, end, reason) => {
    const id = `stale-${kind}`;
    expect(await engine.run(id, { caseId: 'change-delivery-address/0/stale-read', guard: { kind }, replans: 0 })).toMatchObject({ class: end, reason });
    expect(await ledgerOf(engine, id)).toEqual(kind === 'none' ? { committed: 1 } : { rejected: 1, closed: 1 });
    const row = await episodeRow(engine, id);
    expect(row.faults).toEqual({ 'stale-read': 1 });
    expect(row.score).toMatchObject({ leaked: kind === 'none' ? true : null });
  });
});

test('a version guard blocks the benign twin; the replanned proposal commits as a second step', async () => {
  expect(await engine.run('replan', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' }, replans: 1 })).toMatchObject({ class: 'committed', steps: 2 });
  expect(await ledgerOf(engine, 'replan')).toEqual({ rejected: 1, closed: 1, committed: 1 });
});

test('the model hears why it was blocked, at most as often as it may replan', async () => {
  asked.length = 0;
  const outcome = await engine.run('told', { model: 'fake', caseId: 'change-delivery-address/0/stale-read', guard: { kind: 'version' }, replans: 2 });
  expect(asked[0]?.notice).toBeUndefined();
  expect(asked[1]?.notice).toMatchObject({ reason: 'read_set_stale' });
  expect(outcome).toMatchObject({ class: 'committed', steps: 2 });
});

test('a decision is kept although contention outlasted the commit that would have recorded it', async () => {
  const { owner } = engine.database;
  await owner.query(`create function public.contend() returns trigger language plpgsql as $$ begin
      if current_setting('holdpoint.op_key', true) = 'contended:1' then raise exception 'again' using errcode = '40P01'; end if; return new; end $$;
    create trigger contend before insert on orders.labels for each row execute function public.contend()`);
  const { handle, decision } = await startHeld(engine, 'contended', { replans: 1, score: false });
  await handle.executeUpdate('decide', { args: [decision] });
  const second = await held(engine, 'contended', 2);
  const { rows } = await owner.query(`select verdict, decided_by from holdpoint.approvals where op_key = 'contended:1'`);
  expect(rows).toEqual([{ verdict: 'approve', decided_by: decision.by }]);
  await handle.executeUpdate('decide', { args: [second] });
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  await owner.query('drop trigger contend on orders.labels');
}, 60_000);

test('a connection cut at COMMIT is replayed by the op key', async () => {
  const id = 'cut';
  expect(await engine.run(id, { caseId: 'change-delivery-address/0/timeout-after-commit', guard: { kind: 'none' } })).toMatchObject({ class: 'committed' });
  expect(await ledgerOf(engine, id)).toEqual({ committed: 1 });
  expect((await episodeRow(engine, id)).faults).toEqual({ 'timeout-after-commit': 1 });
  expect(await lastCommitOutcome(id)).toBe('replayed');
});

test('a lost completion of a successful commit is replayed by the op key', async () => {
  const outcome = await engine.run('lose-1');
  expect(outcome).toMatchObject({ class: 'committed' });
  expect(await ledgerOf(engine, 'lose-1')).toEqual({ committed: 1 });
  expect(await lastCommitOutcome('lose-1')).toBe('replayed');
});

test('a race is noted as fired only if it committed before the commit read the world', async () => {
  const guards = ['none', 'epoch', 'version', 'predicate'] as const;
  await Promise.all(guards.map((kind) => engine.run(`race-${kind}`, { caseId: 'change-delivery-address/0/concurrent-mutation', guard: { kind }, replans: 0 })));
  for (const kind of guards) {
    const { faults, outcome, score } = await episodeRow(engine, `race-${kind}`);
    const { rows } = await engine.database.owner.query(`select from holdpoint.row_history where op_key = $1`, [`race-${kind}:race:0`]);
    expect(rows).toHaveLength(1);
    const fired = faults['concurrent-mutation'] === 1;
    if (kind !== 'none') expect(outcome?.class).toBe(fired ? 'refused' : 'committed');
    expect(score).toMatchObject({ leaked: outcome?.class === 'committed' ? fired : null });
  }
});

test('abstaining, a wrong reply, and an action on a row that was not read end without a request', async () => {
  expect(await engine.run('abstain', { model: 'always-abstain' })).toMatchObject({ class: 'abstained', reason: null });
  expect(await engine.run('broken', { model: 'broken' })).toMatchObject({ class: 'model_failure', reason: 'not_json' });
  expect(await engine.run('wrong-row', { model: 'wrong-row' })).toMatchObject({ class: 'model_failure', reason: 'unread_entity' });
  const { rowCount } = await engine.database.owner.query(`select from holdpoint.approvals where episode_id in ('abstain', 'broken', 'wrong-row')`);
  expect(rowCount).toBe(0);
});

test('the simulated approver can reject, and one who is not on the list approves nothing', async () => {
  expect(await engine.run('rejected', { approval: { rule: 'reject' } })).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });
  expect(await engine.run('stranger', { approval: { approver: 'stranger' } })).toMatchObject({ class: 'not_approved', reason: 'not_authorised' });
  expect(await ledgerOf(engine, 'rejected')).toEqual({ closed: 1 });
  expect(await ledgerOf(engine, 'stranger')).toEqual({ closed: 1 });
});

test('an empty argument is an episode, and a malformed one is refused for good in one sentence', async () => {
  const start = (workflowId: string, args: unknown[]): Promise<unknown> =>
    engine.client.workflow.execute('episode', { workflowId, taskQueue: `${engine.settings.queuePrefix}-commit`, args });
  await expect(start('malformed', [{ guard: { kind: 'epoch', without: ['policy'] } }])).rejects.toSatisfy((error) => causeType(error) === 'malformed_input');
  await expect(start('surplus', [{ episodeId: 'one' }])).rejects.toSatisfy((error) => causeType(error) === 'malformed_input');
  await expect(start('no-case', [{ caseId: 'no-such/0/clean', model: 'always-act' }])).rejects.toSatisfy((error) => causeType(error) === 'unknown_case');
  expect(await start('empty', [])).toMatchObject({ class: 'committed' });
  expect(await start('empty-object', [{}])).toMatchObject({ class: 'committed' });
});

test('an ended episode id is refused; a second run of it by another door changes nothing', async () => {
  await engine.run('once');
  await expect(startEpisode(engine.client, { episodeId: 'once', input: {} }, engine.start)).rejects.toThrow(/used already/);
  const again: unknown = await engine.client.workflow.execute('episode', { workflowId: 'once', taskQueue: `${engine.settings.queuePrefix}-commit`, args: [{ model: 'always-act' }], workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
  expect(again).toMatchObject({ class: 'committed' });
  expect(await ledgerOf(engine, 'once')).toEqual({ committed: 1 });
});

async function eventTypes(episodeId: string): Promise<(temporal.api.enums.v1.EventType | null | undefined)[]> {
  const { events } = await engine.client.workflow.getHandle(episodeId).fetchHistory();
  return (events ?? []).map((event) => event.eventType);
}

/** What the last completed commit activity said. */
async function lastCommitOutcome(episodeId: string): Promise<string | undefined> {
  const { events } = await engine.client.workflow.getHandle(episodeId).fetchHistory();
  const results = (events ?? []).flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? []);
  const outcomes = results.map((payload) => JSON.parse(Buffer.from(payload.data ?? []).toString() || 'null') as { outcome?: string } | null).filter((result) => result?.outcome !== undefined);
  return outcomes.at(-1)?.outcome;
}

function causeType(error: unknown): string | undefined {
  let cause: unknown = error instanceof WorkflowFailedError ? error.cause : error;
  while (cause instanceof Error && !(cause instanceof ApplicationFailure) && cause.cause !== undefined) cause = cause.cause;
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}
