/** The commit looks at rights again: who approved, how that is known, how many they are, and whether they still may. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitProposal, commitQuery, outcomeOf, type CommitRequest } from '../../database/commit/commit.ts';
import { addToGroup, removeFromGroup } from '../../database/groups.ts';
import { notTaken } from '../../database/decisions.ts';
import { revokeToken } from '../../database/tokens.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { decidedBy, personWith, saying, waitingRequest, type Person } from './support/deciders.ts';
import { seenWaitingFor, send, withSessions } from './support/sessions.ts';
import { effectsOf } from './support/tool-cases.ts';

let db: TestDatabase;
let [ana, bob, carl]: Person[] = [];
const someone = (person: Person | undefined): Person => person as Person;
beforeAll(async () => {
  db = await testDatabase();
  [ana, bob, carl] = await Promise.all(['ana', 'bob', 'carl'].map((name) => personWith(db, name)));
  await addToGroup(db.owner, 'ops', 'carl');
});
afterAll(() => db.close());

const effects = (request: CommitRequest): Promise<number> => effectsOf(db, request.worldId, 'change_delivery_address');
const raw = (request: CommitRequest, by: string, via: 'auto' | 'update' | 'signal'): CommitRequest => ({ ...request, decision: { verdict: 'approve', by, via, comment: '' } });

async function denied(request: CommitRequest, reason: string): Promise<void> {
  await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ outcome: 'rejected', reason });
  expect(await effects(request)).toBe(0);
}

describe('with proof', () => {
  it('one approval commits, and its ids and its door are on record', async () => {
    const request = await waitingRequest(db, { unauthenticated: false });
    const heard = await saying(db, someone(ana), request)('approve', { via: 'inbox' });
    await expect(commitProposal(db.pool, decidedBy(request, heard))).resolves.toMatchObject({ outcome: 'committed' });
    const { rows } = await db.owner.query('select verdict, decided_by, via, decision_ids::int[] as ids from holdpoint.approvals where op_key = $1', [request.opKey]);
    expect(rows).toEqual([{ verdict: 'approve', decided_by: 'ana', via: 'inbox', ids: [heard.decisionId] }]);
    await expect(commitProposal(db.pool, decidedBy(request, heard))).resolves.toMatchObject({ outcome: 'replayed' });
    expect(await effects(request)).toBe(1);
  });

  it('two people where two are needed: one alone, or one twice, is not enough', async () => {
    const request = await waitingRequest(db, { approvals_needed: 2 });
    const first = await saying(db, someone(ana), request)('approve');
    await denied(decidedBy(request, first, first), 'not_authorised');
    const other = await waitingRequest(db, { approvals_needed: 2 });
    const both = [await saying(db, someone(ana), other)('approve'), await saying(db, someone(carl), other)('approve')];
    await expect(commitProposal(db.pool, decidedBy(other, ...both))).resolves.toMatchObject({ outcome: 'committed' });
  });

  it.each([
    ['the token was revoked', async (person: Person) => { await revokeToken(db.owner, person.tokenId); }],
    ['the person was taken off the list', async (_: Person, request: CommitRequest) => { await db.owner.query(`update holdpoint.policies set approvers = '{bob}' where world_id = $1`, [request.worldId]); }],
    ['another approval is asked for meanwhile', async (_: Person, request: CommitRequest) => { await db.owner.query(`update holdpoint.policies set approvals_needed = 2 where world_id = $1`, [request.worldId]); }],
    ['the person turned out to be the proposer', async (_: Person, request: CommitRequest) => { await db.owner.query(`update holdpoint.approvals set proposer = 'person:ana' where op_key = $1`, [request.opKey]); }],
    ['the episode did not take it', async (_: Person, __: CommitRequest, id: number) => { await notTaken(db.pool, id, 'already_decided'); }],
  ])('and then %s: denied', async (_, meanwhile) => {
    const person = await personWith(db, 'ana');
    const request = await waitingRequest(db);
    const heard = await saying(db, person, request)('approve');
    await meanwhile(person, request, heard.decisionId);
    await denied(decidedBy(request, heard), 'not_authorised');
  });

  it('somebody who left the group, and came back after approving: a withdrawal stays one', async () => {
    const request = await waitingRequest(db);
    const heard = await saying(db, someone(carl), request)('approve');
    await removeFromGroup(db.owner, 'ops', 'carl');
    await addToGroup(db.owner, 'ops', 'carl');
    await denied(decidedBy(request, heard), 'not_authorised');
  });

  it.each([
    ['ids that do not exist', (request: CommitRequest): CommitRequest => ({ ...raw(request, 'ana', 'update'), decision: { verdict: 'approve', by: 'ana', via: 'cli', comment: '', decisionIds: [999_999] } })],
    ['no ids at all', (request: CommitRequest): CommitRequest => ({ ...raw(request, 'ana', 'update'), decision: { verdict: 'approve', by: 'ana', via: 'cli', comment: '', decisionIds: [] } })],
  ])('%s prove nothing', async (_, forged) => {
    await denied(forged(await waitingRequest(db)), 'not_authorised');
  });

  it('a rejection, an approval of another request, and one of another digest prove nothing', async () => {
    const other = await waitingRequest(db);
    const elsewhere = await saying(db, someone(ana), other)('approve');
    const request = await waitingRequest(db);
    await denied(decidedBy(request, elsewhere), 'not_authorised');
    const rejected = await waitingRequest(db);
    await denied(decidedBy(rejected, await saying(db, someone(ana), rejected)('reject')), 'not_authorised');
  });

  it('rights that the commit did not lock are none: a recorded decision is committed with its ids', async () => {
    const request = await waitingRequest(db);
    const heard = await saying(db, someone(ana), request)('approve');
    await db.pool.query('select holdpoint.decide($1, $2, $3, $4, $5, $6, $7)', [request.opKey, request.digest, 'approve', 'ana', 'update', '', [heard.decisionId]]);
    await denied(request, 'not_authorised');
    await expect(commitProposal(db.pool, decidedBy(request, heard))).resolves.toMatchObject({ outcome: 'committed' });
  });
});

describe('a right withdrawn at the same time', () => {
  it.each([
    ['token', (person: Person) => ({ text: 'update holdpoint.tokens set revoked_at = clock_timestamp() where token_id = $1', values: [person.tokenId] })],
    ['membership', () => ({ text: `delete from holdpoint.group_members where person = 'erin'`, values: [] })],
  ])('a %s: the commit waits for the withdrawal and is denied', async (_, withdraw) => {
    await addToGroup(db.owner, 'ops', 'erin');
    const person = await personWith(db, 'erin');
    const request = await waitingRequest(db);
    const call = decidedBy(request, await saying(db, person, request)('approve'));
    const owner = await db.owner.connect();
    await withSessions(db.pool, 1, async (committer) => {
      await owner.query('begin');
      await owner.query(withdraw(person));
      const asked = send<{ answer: string }>(committer, commitQuery(call));
      const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
      await seenWaitingFor(db.owner, { session: committer, asked }, { client: owner, pid: rows[0]?.pid ?? 0 });
      await owner.query('commit');
      expect(outcomeOf((await asked).rows[0]?.answer ?? '', call)).toMatchObject({ outcome: 'rejected', reason: 'not_authorised' });
    });
    owner.release();
    expect(await effects(request)).toBe(0);
  });

  it('the withdrawal waits for a commit that came first, which stands', async () => {
    const person = await personWith(db, 'ana');
    const request = await waitingRequest(db);
    const call = decidedBy(request, await saying(db, person, request)('approve'));
    await withSessions(db.pool, 1, async (committer) => {
      await committer.client.query('begin');
      expect(outcomeOf((await committer.client.query<{ answer: string }>(commitQuery(call))).rows[0]?.answer ?? '', call)).toMatchObject({ outcome: 'committed' });
      let done = false;
      const revoked = revokeToken(db.owner, person.tokenId).then(() => { done = true; });
      await expect.poll(async () => (await db.owner.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [committer.pid])).rowCount, { timeout: 15_000 }).toBe(1);
      expect(done).toBe(false);
      await committer.client.query('commit');
      await revoked;
    });
    expect(await effects(request)).toBe(1);
  });
});

describe('without proof', () => {
  it.each(['update', 'signal'] as const)('a %s commits where the policy lets that count, and is recorded as what it is', async (via) => {
    const request = await waitingRequest(db);
    await expect(commitProposal(db.pool, raw(request, 'ana', via))).resolves.toMatchObject({ outcome: 'committed' });
    const { rows } = await db.owner.query('select via, decision_ids from holdpoint.approvals where op_key = $1', [request.opKey]);
    expect(rows).toEqual([{ via, decision_ids: null }]);
  });

  it.each([
    ['where the policy asks for proof', { unauthenticated: false }, 'ana', 'update', 'not_authenticated'],
    ['where two must approve', { approvals_needed: 2 }, 'ana', 'signal', 'not_authenticated'],
    ['simulated, where two must approve', { approvals_needed: 2 }, 'auto', 'auto', 'not_authorised'],
    ['in the simulated approver\'s name', {}, 'auto', 'update', 'not_authorised'],
    ['in a group\'s name', {}, 'group:ops', 'update', 'not_authorised'],
    ['by one of a group', {}, 'carl', 'update', 'not_authorised'],
    ['by somebody on no list', {}, 'mallory', 'update', 'not_authorised'],
  ] as const)('%s nothing commits', async (...[, policy, by, via, reason]) => {
    await denied(raw(await waitingRequest(db, policy), by, via), reason);
  });

  it('the simulated approver needs no proof, only its name on the list', async () => {
    await expect(commitProposal(db.pool, raw(await waitingRequest(db, { unauthenticated: false }), 'auto', 'auto'))).resolves.toMatchObject({ outcome: 'committed' });
    await denied(raw(await waitingRequest(db, { approvers: ['ana'] }), 'auto', 'auto'), 'not_authorised');
  });

  it('a hand-over that came too late for the episode undoes no decision that it took before', async () => {
    const handedOn = await waitingRequest(db);
    await saying(db, someone(ana), handedOn)('escalate', { to: 'bob' });
    await expect(commitProposal(db.pool, raw(handedOn, 'ana', 'update'))).resolves.toMatchObject({ outcome: 'committed' });
  });

  it('an editor\'s own word is none', async () => {
    const edited = await waitingRequest(db);
    await db.owner.query(`update holdpoint.approvals set proposer = 'person:bob' where op_key = $1`, [edited.opKey]);
    await denied(raw(edited, someone(bob).name, 'update'), 'not_authorised');
  });
});
