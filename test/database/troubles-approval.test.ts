/** Trouble: a commit without an approval, with one for something else, out of its window, or by somebody who may not give it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitProposal, commitQuery, outcomeOf } from '../../database/commit/commit.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { seenWaitingFor, send, withSessions } from './support/sessions.ts';
import { approve, approvedRequest, effectsOf, guardOf, ledgerOf, propose, requestFor, seedFor, type Said } from './support/tool-cases.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.close());

const guards = ['none', 'epoch', 'version', 'predicate'] as const;

const refused: readonly { how: string; said: Said | null; reason: string }[] = [
  { how: 'nobody was asked', said: null, reason: 'approval_missing' },
  { how: 'nobody has answered', said: { verdict: null }, reason: 'approval_missing' },
  { how: 'it was rejected', said: { verdict: 'reject' }, reason: 'approval_rejected' },
  { how: 'the request was cancelled', said: { verdict: 'cancelled' }, reason: 'approval_rejected' },
  { how: 'nobody answered in time', said: { verdict: 'expired', by: 'holdpoint' }, reason: 'proposal_expired' },
  { how: 'it was approved and its window is over', said: { windowMs: -1 }, reason: 'proposal_expired' },
  { how: 'the approval is for another digest', said: { digest: 'f'.repeat(64) }, reason: 'stale_proposal' },
  { how: 'the proposer approved', said: { by: 'agent:test' }, reason: 'not_authorised' },
  { how: 'an unknown name approved', said: { by: 'mallory' }, reason: 'not_authorised' },
  { how: 'the name is in other case', said: { by: 'Ana' }, reason: 'not_authorised' },
  { how: 'the name has a trailing space', said: { by: 'ana ' }, reason: 'not_authorised' },
  { how: 'the name has a Cyrillic letter that looks the same', said: { by: 'аna' }, reason: 'not_authorised' },
  { how: 'the name is empty', said: { by: '' }, reason: 'not_authorised' },
];

describe.each(refused)('when $how', ({ said, reason }) => {
  it.each(guards)('the guard %s commits nothing and says so', async (guard) => {
    const worldId = await seedFor(db, 'record_invoice');
    const request = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice' }), { guard: guardOf(guard) });
    if (said !== null) await approve(db, request, said);
    await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ outcome: 'rejected', reason });
    expect(await effectsOf(db, worldId, 'record_invoice')).toBe(0);
    expect(await ledgerOf(db, request.opKey)).toEqual([{ verdict: 'rejected', reason, tries: 1 }]);
  });
});

it('a proposer on the list of approvers still cannot approve its own proposal', async () => {
  const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
  await db.owner.query(`update holdpoint.policies set approvers = array_append(approvers, 'agent:test') where world_id = $1`, [request.worldId]);
  await db.owner.query(`update holdpoint.approvals set decided_by = 'agent:test' where op_key = $1`, [request.opKey]);
  await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ reason: 'not_authorised' });
});

it('an approver who is taken off the list while the commit waits is not authorised any more', async () => {
  const request = await approvedRequest(db, 'grant_role', guardOf('none'));
  await withSessions(db.pool, 2, async (writer, committer) => {
    await writer.client.query('begin');
    await writer.client.query(`update holdpoint.policies set approvers = '{bob}' where world_id = $1`, [request.worldId]);
    const asked = send<{ answer: string }>(committer, commitQuery(request));
    await seenWaitingFor(db.owner, { session: committer, asked }, writer);
    await writer.client.query('commit');
    expect(outcomeOf((await asked).rows[0]?.answer ?? '', request)).toMatchObject({ outcome: 'rejected', reason: 'not_authorised' });
  });
});

it('a window that ends while the commit waits for its locks is over: the clock is read after the last lock', async () => {
  const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
  await withSessions(db.pool, 2, async (writer, committer) => {
    await writer.client.query('begin');
    await writer.client.query(`update access.people set manager_note = 'x' where world_id = $1`, [request.worldId]);
    await db.owner.query(`update holdpoint.approvals set expires_at = clock_timestamp() + interval '150 milliseconds' where op_key = $1`, [request.opKey]);
    const asked = send<{ answer: string }>(committer, commitQuery(request));
    await seenWaitingFor(db.owner, { session: committer, asked }, writer);
    for (let over = false; !over; ) {
      const { rows } = await db.owner.query<{ over: boolean }>('select expires_at < clock_timestamp() as over from holdpoint.approvals where op_key = $1', [request.opKey]);
      over = rows[0]?.over === true;
    }
    await writer.client.query('commit');
    expect(outcomeOf((await asked).rows[0]?.answer ?? '', request)).toMatchObject({ outcome: 'rejected', reason: 'proposal_expired' });
  });
  expect(await effectsOf(db, request.worldId, 'grant_role')).toBe(0);
});

it('the arguments that run are the ones that were approved: a changed proposal has another digest and is not sent', async () => {
  const request = await approvedRequest(db, 'record_invoice', guardOf('none'));
  const changed = { ...request, proposal: { ...request.proposal, arguments: { ...request.proposal.arguments, amountCents: 9_999 } } };
  await expect(commitProposal(db.pool, changed)).resolves.toMatchObject({ outcome: 'rejected', reason: 'stale_proposal' });
  expect(await effectsOf(db, request.worldId, 'record_invoice')).toBe(0);
});

it('a read set that is not the contract\'s is refused before anything is sent', async () => {
  const request = await approvedRequest(db, 'record_invoice', guardOf('none'));
  const readSet = request.proposal.readSet.slice(1);
  const shorter = requestFor(request.worldId, { ...request.proposal, readSet }, { guard: guardOf('version') });
  await expect(commitProposal(db.pool, shorter)).resolves.toMatchObject({ outcome: 'rejected', reason: 'unread_entity' });
});

it('a decision that comes with the commit is recorded with it once, and only one of two stands', async () => {
  const worldId = await seedFor(db, 'grant_role');
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'grant_role' }), { guard: guardOf('predicate') });
  await approve(db, request, { verdict: null });
  const approving = { ...request, decision: { verdict: 'approve', by: 'ana', via: 'update', comment: '' } } as const;
  await expect(commitProposal(db.pool, approving)).resolves.toMatchObject({ outcome: 'committed' });
  const { rows } = await db.pool.query<{ verdict: string }>(`select holdpoint.decide($1, $2, 'reject', 'auto', 'update', '') as verdict`, [request.opKey, request.digest]);
  expect(rows[0]?.verdict).toBe('approve');
});

it('approve and reject at once leave one decision, and the effect agrees with it', async () => {
  for (let round = 0; round < 25; round += 1) {
    const worldId = await seedFor(db, 'grant_role');
    const request = requestFor(worldId, await propose(db, worldId, { tool: 'grant_role' }), { guard: guardOf('predicate') });
    await approve(db, request, { verdict: null });
    const decide = (verdict: string): Promise<unknown> => db.pool.query(`select holdpoint.decide($1, $2, $3, 'ana', 'update', '')`, [request.opKey, request.digest, verdict]);
    const [, , outcome] = await Promise.all([decide('approve'), decide('reject'), commitProposal(db.pool, request)]);
    const { rows } = await db.owner.query<{ verdict: string }>('select verdict from holdpoint.approvals where op_key = $1', [request.opKey]);
    if (rows[0]?.verdict === 'reject') expect(outcome).toMatchObject({ outcome: 'rejected' });
    expect(await effectsOf(db, worldId, 'grant_role')).toBe(outcome.outcome === 'committed' ? 1 : 0);
  }
});

it('a decision for a digest that is not the pending one decides nothing', async () => {
  const worldId = await seedFor(db, 'grant_role');
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'grant_role' }), { guard: guardOf('predicate') });
  await approve(db, request, { verdict: null });
  const { rows } = await db.pool.query<{ verdict: string | null }>(`select holdpoint.decide($1, $2, 'approve', 'ana', 'update', '') as verdict`, [request.opKey, 'e'.repeat(64)]);
  expect(rows[0]?.verdict).toBeNull();
  await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ reason: 'approval_missing' });
});
