/** What people say through authenticated doors: who is let in, who is refused and why, and what is kept of either. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { admitted, decisionsOf, hear, notTaken, remind, undelivered, type Said } from '../../database/decisions.ts';
import { addToGroup, listGroups, removeFromGroup } from '../../database/groups.ts';
import { createToken, identify, listTokens, nameProblem, revokeToken, tokenHash } from '../../database/tokens.ts';
import { closeOpKey, commitProposal, type CommitRequest } from '../../database/commit/commit.ts';
import { observeWorld } from '../../database/worlds.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { personWith, saying, waitingRequest, type Person } from './support/deciders.ts';
import { seenWaitingFor, send, withSessions } from './support/sessions.ts';
import { contractOf } from './support/tool-cases.ts';

let db: TestDatabase;
let ana: Person;
let bob: Person;
beforeAll(async () => {
  db = await testDatabase();
  await addToGroup(db.owner, 'ops', 'carl');
  [ana, bob] = await Promise.all([personWith(db, 'ana'), personWith(db, 'bob')]);
});
afterAll(() => db.close());

let request: CommitRequest;
beforeEach(async () => {
  request = await waitingRequest(db);
});
const kept = async (): Promise<{ kind: string; person: string; refused: string | null }[]> =>
  (await decisionsOf(db.pool, request)).map(({ kind, person, refused }) => ({ kind, person, refused }));

describe('tokens', () => {
  test('are shown once, kept as a digest only, listed without it, and out of force for good once revoked', async () => {
    const { token, row } = await createToken(db.owner, { person: 'dora', scopes: ['view', 'approve'], tools: ['grant_role'], ttlMs: 60_000 });
    expect(token).toMatch(new RegExp(`^hp_${row.tokenId}_[A-Za-z0-9_-]{43}$`));
    const { rows } = await db.owner.query<{ text: string }>('select t::text as text from holdpoint.tokens t where person = $1', ['dora']);
    expect(rows[0]?.text).toContain(tokenHash(token));
    expect(rows[0]?.text).not.toContain(token.slice(-43));
    expect(await identify(db.pool, tokenHash(token))).toMatchObject({ tokenId: row.tokenId, person: 'dora', scopes: ['view', 'approve'], tools: ['grant_role'] });
    expect((await listTokens(db.pool)).find((listed) => listed.tokenId === row.tokenId)).toMatchObject({ person: 'dora', inForce: true, revokedAt: null });
    const revoked = await revokeToken(db.owner, row.tokenId);
    expect(revoked).toMatchObject({ inForce: false });
    expect((await revokeToken(db.owner, row.tokenId))?.revokedAt).toBe(revoked?.revokedAt);
    expect(await revokeToken(db.owner, 'nobody')).toBeUndefined();
    expect(await identify(db.pool, tokenHash(token))).toBeUndefined();
  });

  test('of two people are two, and the worker can neither make, read nor revoke one', async () => {
    await expect(db.pool.query('select hash from holdpoint.tokens')).rejects.toMatchObject({ code: '42501' });
    await expect(db.pool.query(`insert into holdpoint.tokens (token_id, hash, person, scopes, expires_at) values ('x', $1, 'ana', '{approve}', now())`, ['a'.repeat(64)])).rejects.toMatchObject({ code: '42501' });
    await expect(revokeToken(db.pool, ana.tokenId)).rejects.toMatchObject({ code: '42501' });
    await expect(addToGroup(db.pool, 'ops', 'mallory')).rejects.toMatchObject({ code: '42501' });
    await expect(db.pool.query('update holdpoint.policies set unauthenticated = true, approvals_needed = 1')).rejects.toMatchObject({ code: '42501' });
    await expect(db.pool.query(`update holdpoint.decisions set refused = null`)).rejects.toMatchObject({ code: '42501' });
    expect(ana.hash).not.toBe(bob.hash);
  });

  test.each(['', ' ana', 'ana ', 'an\u200ba', 'ana\n', 'agent:m', 'auto', 'Auto', 'group:ops', 'person:ana', 'engine', 'cafe\u0301', 'a\u0000', 'a\ud800', 'x'.repeat(201)])('of the name %j are not made', async (person) => {
    await expect(createToken(db.owner, { person, scopes: ['approve'], ttlMs: 60_000 })).rejects.toBeInstanceOf(RangeError);
    expect(nameProblem(person)).not.toBeNull();
  });

  test('groups list their people', async () => {
    await addToGroup(db.owner, 'night', 'ana');
    expect(await addToGroup(db.owner, 'night', 'ana')).toBe(false);
    expect(await listGroups(db.pool)).toContainEqual({ group: 'night', people: ['ana'] });
    expect(await removeFromGroup(db.owner, 'night', 'ana')).toBe(true);
    expect(await removeFromGroup(db.owner, 'night', 'ana')).toBe(false);
  });
});

describe('let in', () => {
  it('is an approval by somebody on the list, and the episode hears so, word for word', async () => {
    const heard = await saying(db, ana, request)('approve', { comment: 'fine' });
    expect(heard).toMatchObject({ person: 'ana', approvals: 1, needed: 1, episodeId: 'test' });
    const said = { opKey: request.opKey, digest: request.digest, verdict: 'approve', by: 'ana', comment: '', decisionId: heard.decisionId } as const;
    expect(await admitted(db.pool, said)).toEqual({ comment: 'fine', needed: 1, approvals: [{ decisionId: heard.decisionId, by: 'ana' }] });
    for (const other of [{ by: 'bob' }, { verdict: 'reject' }, { to: 'bob' }, { digest: 'b'.repeat(64) }, { opKey: 'other:1' }, { decisionId: heard.decisionId + 1_000 }] as const)
      expect(await admitted(db.pool, { ...said, ...other }), JSON.stringify(other)).toBeUndefined();
    expect(await decisionsOf(db.pool, request)).toMatchObject([{ kind: 'approve', person: 'ana', identity: `token:${ana.tokenId}`, via: 'cli', comment: 'fine', refused: null }]);
  });

  it('is somebody of a group on the list', async () => {
    expect(await saying(db, await personWith(db, 'carl'), request)('reject')).toMatchObject({ person: 'carl' });
  });

  it('is the same thing said again, with the first answer, and another comment makes no other decision of it', async () => {
    const say = saying(db, ana, request);
    const first = await say('approve');
    expect(await say('approve', { comment: 'again' })).toEqual(first);
    expect(await kept()).toHaveLength(1);
    expect(await say('reject')).toMatchObject({ refused: 'already_decided', verdict: 'approve', by: 'ana' });
  });

  it('is a comment, also after the end', async () => {
    await saying(db, ana, request)('approve');
    expect(await saying(db, bob, request)('comment')).toMatchObject({ person: 'bob' });
  });

  it('is an edit with its arguments, and after it nothing', async () => {
    const heard = await saying(db, ana, request)('edit');
    expect(heard).toMatchObject({ person: 'ana' });
    expect(await saying(db, ana, request)('edit')).toEqual(heard);
    expect(await saying(db, ana, request)('edit', { arguments: '{}' })).toMatchObject({ refused: 'already_decided', verdict: 'edit', by: 'ana' });
    expect(await saying(db, bob, request)('approve')).toMatchObject({ refused: 'already_decided', verdict: 'edit', by: 'ana' });
  });

  it('waits for as many different people as the policy asks for', async () => {
    request = await waitingRequest(db, { approvals_needed: 2 });
    expect(await saying(db, ana, request)('approve')).toMatchObject({ approvals: 1, needed: 2 });
    const other = await personWith(db, 'ana');
    expect(await saying(db, other, request)('approve')).toMatchObject({ refused: 'already_decided', by: 'ana' });
    expect(await saying(db, bob, request)('approve')).toMatchObject({ approvals: 2, needed: 2 });
    expect(await saying(db, await personWith(db, 'carl'), request)('approve')).toMatchObject({ refused: 'already_decided', verdict: 'approve', by: 'bob' });
  });

  it('can be a rejection while another approval is missing, also by who approved', async () => {
    request = await waitingRequest(db, { approvals_needed: 2 });
    await saying(db, ana, request)('approve');
    expect(await saying(db, ana, request)('reject')).toMatchObject({ person: 'ana' });
    expect(await saying(db, bob, request)('approve')).toMatchObject({ refused: 'already_decided', verdict: 'reject', by: 'ana' });
  });
});

describe('handed on', () => {
  it('to somebody, only they decide from then on, and can hand it back', async () => {
    await saying(db, ana, request)('escalate', { to: 'bob' });
    expect(await saying(db, ana, request)('approve')).toMatchObject({ refused: 'handed_on' });
    expect(await saying(db, bob, request)('escalate', { to: 'group:ops' })).toMatchObject({ person: 'bob' });
    expect(await saying(db, bob, request)('approve')).toMatchObject({ refused: 'handed_on' });
    expect(await saying(db, await personWith(db, 'carl'), request)('approve')).toMatchObject({ person: 'carl' });
  });

  it.each(['mallory', 'agent:test', 'group:nobody', 'group:', 'auto', 'Bob', 'b\u043eb', 'ana'])('to %j it cannot be: nobody else there may decide', async (to) => {
    expect(await saying(db, ana, request)('escalate', { to })).toMatchObject({ refused: 'unfit_handover' });
    expect(await saying(db, ana, request)('approve')).toMatchObject({ person: 'ana' });
  });

  it('to so few that the approvals which are needed could never be had, it cannot be; to one who completes them, it can', async () => {
    const two = await waitingRequest(db, { approvals_needed: 2 });
    expect(await saying(db, ana, two)('escalate', { to: 'bob' })).toMatchObject({ refused: 'unfit_handover' });
    await saying(db, ana, two)('approve');
    expect(await saying(db, ana, two)('escalate', { to: 'bob' })).toMatchObject({ person: 'ana', approvals: 1, needed: 2 });
    expect(await saying(db, bob, two)('approve')).toMatchObject({ approvals: 2, needed: 2 });
  });
});

describe('rights that change while a request waits', () => {
  it('an approval whose token was revoked counts no more: its person says it anew, or somebody else does', async () => {
    const two = await waitingRequest(db, { approvals_needed: 2 });
    const withdrawn = await personWith(db, 'ana');
    await saying(db, withdrawn, two)('approve');
    await revokeToken(db.owner, withdrawn.tokenId);
    expect(await saying(db, bob, two)('approve')).toMatchObject({ approvals: 1, needed: 2 });
    const again = await saying(db, ana, two)('approve');
    expect(again).toMatchObject({ approvals: 2, needed: 2 });
    const { approvals } = (await admitted(db.pool, { opKey: two.opKey, digest: two.digest, verdict: 'approve', by: 'ana', comment: '', decisionId: again.decisionId })) ?? { approvals: [] };
    expect(approvals.map((approval) => approval.by)).toEqual(['bob', 'ana']);
  });

  it('as many must approve as the policy says by now', async () => {
    await db.owner.query('update holdpoint.policies set approvals_needed = 2 where world_id = $1', [request.worldId]);
    expect(await saying(db, ana, request)('approve')).toMatchObject({ approvals: 1, needed: 2 });
    expect(await saying(db, bob, request)('approve')).toMatchObject({ approvals: 2, needed: 2 });
  });
});

const refused: readonly { how: string; who?: Partial<Parameters<typeof createToken>[1]>; said?: Partial<Said>; kind?: Said['kind']; reason: string }[] = [
  { how: 'a scope that the token does not have', who: { scopes: ['view', 'comment'] }, reason: 'out_of_scope' },
  { how: 'a tool that the token is not for', who: { tools: ['grant_role'] }, reason: 'out_of_scope' },
  { how: 'somebody on no list', who: { person: 'mallory' }, reason: 'not_authorised' },
  { how: 'a name in other case', who: { person: 'Ana' }, reason: 'not_authorised' },
  { how: 'a name that looks the same', who: { person: '\u0430na' }, reason: 'not_authorised' },
  { how: 'another digest, swapped between showing and clicking', said: { digest: 'b'.repeat(64) }, reason: 'stale_proposal' },
  { how: 'another request', said: { opKey: 'nothing:1' }, reason: 'unknown_or_closed_request' },
  { how: 'a comment of a megabyte', said: { comment: 'x'.repeat(1_000_000) }, reason: 'malformed_decision' },
  { how: 'a comment of 2,001 characters', said: { comment: 'x'.repeat(2_001) }, reason: 'malformed_decision' },
  { how: 'a comment of 1,500 emoji, which are 3,000 characters to the episode', said: { comment: '\u{1f600}'.repeat(1_500) }, reason: 'malformed_decision' },
  { how: 'a NUL in the comment', said: { comment: 'a\u0000b' }, reason: 'malformed_decision' },
  { how: 'half a character', said: { comment: 'a\ud83d' }, reason: 'malformed_decision' },
  { how: 'a digest that is none', said: { digest: 'x' }, reason: 'malformed_decision' },
  { how: 'an op key of a megabyte', said: { opKey: 'k'.repeat(1_000_000) }, reason: 'malformed_decision' },
  { how: 'arguments with an approval', said: { arguments: '{}' }, reason: 'malformed_decision' },
  { how: 'an edit without arguments', kind: 'edit', said: { arguments: '' }, reason: 'malformed_decision' },
  { how: 'an escalation to nobody', kind: 'escalate', said: { to: '' }, reason: 'malformed_decision' },
  { how: 'an empty comment', kind: 'comment', said: { comment: '' }, reason: 'malformed_decision' },
];

describe('refused, kept with its reason, and nothing else changes', () => {
  it.each(refused)('$how: $reason', async ({ who, said, kind = 'approve', reason }) => {
    const person = who === undefined ? ana : await personWith(db, 'ana', who);
    expect(await saying(db, person, request)(kind, said)).toMatchObject({ refused: reason, person: person.name, verdict: null, by: null });
    const { rows } = await db.owner.query<{ refused: string; size: number }>('select refused, length(comment || op_key || digest) as size from holdpoint.decisions order by decision_id desc limit 1');
    expect(rows[0]?.refused).toBe(reason);
    expect(rows[0]?.size).toBeLessThan(2_000);
    const { rows: still } = await db.owner.query('select from holdpoint.approvals where op_key = $1 and verdict is null and assigned_to is null', [request.opKey]);
    expect(still).toHaveLength(1);
  });

  it('an unknown, a revoked and an expired token are nobody, and learn nothing of what stands', async () => {
    const [gone, old] = [await personWith(db, 'ana'), await personWith(db, 'bob')];
    await revokeToken(db.owner, gone.tokenId);
    await db.owner.query(`update holdpoint.tokens set expires_at = clock_timestamp() where token_id = $1`, [old.tokenId]);
    await saying(db, ana, request)('approve');
    for (const hash of ['f'.repeat(64), '', gone.hash, old.hash])
      expect(await saying(db, { hash }, request)('reject')).toMatchObject({ refused: 'not_authenticated', person: '', verdict: null, by: null });
    expect((await kept()).slice(1)).toEqual(Array.from({ length: 4 }, () => ({ kind: 'reject', person: '', refused: 'not_authenticated' })));
  });

  it('the proposer, and whoever edited it, cannot decide or hand it on, and may comment', async () => {
    await db.owner.query(`update holdpoint.approvals set proposer = 'person:ana' where op_key = $1`, [request.opKey]);
    for (const kind of ['approve', 'reject', 'edit', 'escalate'] as const) expect(await saying(db, ana, request)(kind)).toMatchObject({ refused: 'not_authorised' });
    expect(await saying(db, ana, request)('comment')).toMatchObject({ person: 'ana' });
    expect(await saying(db, bob, request)('approve')).toMatchObject({ person: 'bob' });
  });

  it.each([
    ['decided', `verdict = 'reject', decided_by = 'supervisor', decided_at = clock_timestamp()`, 'already_decided', 'reject', 'supervisor'],
    ['cancelled', `verdict = 'cancelled', decided_by = 'engine', decided_at = clock_timestamp()`, 'already_closed', 'cancelled', 'engine'],
    ['expired', `verdict = 'expired', decided_by = 'engine', decided_at = clock_timestamp()`, 'proposal_expired', 'expired', 'engine'],
    ['out of its window', `expires_at = clock_timestamp()`, 'proposal_expired', null, null],
  ])('a request that is %s', async (...[, change, reason, verdict, by]) => {
    await db.owner.query(`update holdpoint.approvals set ${change} where op_key = $1`, [request.opKey]);
    expect(await saying(db, ana, request)('approve')).toMatchObject({ refused: reason, verdict, by });
  });

  it('a request whose op key was closed undecided', async () => {
    await db.owner.query(`select holdpoint.close_op_key($1, $2, 'change_delivery_address', 'op_key_closed', 'engine', null)`, [request.worldId, request.opKey]);
    expect(await saying(db, ana, request)('approve')).toMatchObject({ refused: 'already_closed' });
  });

  it('the twenty-first edit of an episode', async () => {
    await db.owner.query(`insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at, verdict, decided_at)
      select $1 || i, world_id, 'edited', digest, proposal, tool, proposer, expires_at, 'edit', clock_timestamp() from holdpoint.approvals, generate_series(1, 20) i where op_key = $1`, [request.opKey]);
    await db.owner.query(`update holdpoint.approvals set episode_id = 'edited' where op_key = $1`, [request.opKey]);
    expect(await saying(db, ana, request)('edit')).toMatchObject({ refused: 'too_many_edits' });
    expect(await saying(db, ana, request)('approve')).toMatchObject({ person: 'ana' });
  });

  it('a word that is none, and one that only the engine says', async () => {
    expect(await saying(db, ana, request)('remind' as Said['kind'])).toMatchObject({ refused: 'out_of_scope' });
    await expect(hear(db.pool, ana.hash, { kind: 'shout' as Said['kind'], opKey: request.opKey, digest: request.digest, via: 'cli', comment: '' })).rejects.toMatchObject({ code: '23514' });
  });
});

test('what a model sees of a policy has no column more than before there were deciders', async () => {
  const { rows } = await observeWorld(db.pool, { worldId: request.worldId, contract: contractOf('change_delivery_address'), keys: request.proposal.arguments, telemetry: { ageMs: 0, previousStatus: 'ok' } });
  expect(Object.keys(rows['policy'] ?? {}).sort()).toEqual(['allowed', 'max_amount_cents', 'note', 'tool']);
});

describe('two at once', () => {
  it('the second waits for the first and hears what it said', async () => {
    await withSessions(db.pool, 2, async (one, other) => {
      const said = (by: Person, kind: string): { text: string; values: unknown[] } => ({ text: 'select holdpoint.hear($1, $2) as heard', values: [by.hash, { kind, opKey: request.opKey, digest: request.digest, via: 'cli' }] });
      await one.client.query('begin');
      await one.client.query(said(ana, 'approve'));
      const asked = send<{ heard: unknown }>(other, said(bob, 'reject'));
      await seenWaitingFor(db.owner, { session: other, asked }, one);
      await one.client.query('commit');
      expect((await asked).rows[0]?.heard).toMatchObject({ refused: 'already_decided', verdict: 'approve', by: 'ana' });
    });
    expect(await kept()).toEqual([{ kind: 'approve', person: 'ana', refused: null }, { kind: 'reject', person: 'bob', refused: 'already_decided' }]);
  });

  it('exactly one of two is let in, a hundred times', async () => {
    for (let round = 0; round < 100; round += 1) {
      request = await waitingRequest(db);
      const answers = await Promise.all([saying(db, ana, request)('approve'), saying(db, bob, request)(round % 2 === 0 ? 'reject' : 'approve')]);
      expect(answers.filter((heard) => 'refused' in heard)).toMatchObject([{ refused: 'already_decided', by: 'refused' in answers[0] ? 'bob' : 'ana' }]);
    }
  }, 60_000);

  it('a token that is revoked while its bearer waits for the request is nobody\'s', async () => {
    const person = await personWith(db, 'ana');
    await withSessions(db.pool, 2, async (holder, speaker) => {
      await holder.client.query('begin');
      await holder.client.query('select holdpoint.decide($1, $2, $3, $4, $5, $6)', [request.opKey, 'c'.repeat(64), 'reject', 'bob', 'update', '']); // holds the request's row
      const asked = send<{ heard: unknown }>(speaker, { text: 'select holdpoint.hear($1, $2) as heard', values: [person.hash, { kind: 'approve', opKey: request.opKey, digest: request.digest, via: 'cli' }] });
      await seenWaitingFor(db.owner, { session: speaker, asked }, holder);
      await revokeToken(db.owner, person.tokenId);
      await holder.client.query('commit');
      expect((await asked).rows[0]?.heard).toMatchObject({ refused: 'not_authenticated' });
    });
  });
});

describe('afterwards', () => {
  it('what the episode did not take is refused once, and what stands is not', async () => {
    const heard = await saying(db, ana, request)('approve');
    await notTaken(db.pool, heard.decisionId, 'already_decided');
    await notTaken(db.pool, heard.decisionId, 'already_closed');
    expect(await kept()).toEqual([{ kind: 'approve', person: 'ana', refused: 'already_decided' }]);
    const again = await saying(db, bob, request)('reject');
    await db.pool.query('select holdpoint.decide($1, $2, $3, $4, $5, $6, $7)', [request.opKey, request.digest, 'reject', 'bob', 'update', '', [again.decisionId]]);
    await notTaken(db.pool, again.decisionId, 'already_closed');
    expect(await kept()).toContainEqual({ kind: 'reject', person: 'bob', refused: null });
    const { rows } = await db.owner.query('select via, decision_ids::int[] as ids from holdpoint.approvals where op_key = $1', [request.opKey]);
    expect(rows).toEqual([{ via: 'cli', ids: [again.decisionId] }]);
  });

  it('ids that prove nothing leave a recorded decision unauthenticated', async () => {
    const heard = await saying(db, ana, request)('approve');
    await db.pool.query('select holdpoint.decide($1, $2, $3, $4, $5, $6, $7)', [request.opKey, request.digest, 'reject', 'ana', 'cli', '', [heard.decisionId]]);
    const { rows } = await db.owner.query('select via, decision_ids as ids from holdpoint.approvals where op_key = $1', [request.opKey]);
    expect(rows).toEqual([{ via: 'update', ids: null }]);
  });

  it('what was let in and has not arrived can be delivered again', async () => {
    const heard = await saying(db, ana, request)('approve', { comment: 'go' });
    const waiting = (await undelivered(db.pool)).filter(({ said }) => said.opKey === request.opKey);
    expect(waiting).toEqual([{ episodeId: 'test', said: { opKey: request.opKey, digest: request.digest, verdict: 'approve', by: 'ana', comment: 'go', decisionId: heard.decisionId }, decides: true }]);
    await notTaken(db.pool, heard.decisionId, 'already_decided');
    expect((await undelivered(db.pool)).filter(({ said }) => said.opKey === request.opKey)).toEqual([]);
  });

  it('a hand-over whose answer was lost is repeated, and is one', async () => {
    const first = await saying(db, ana, request)('escalate', { to: 'bob' });
    expect(await saying(db, ana, request)('escalate', { to: 'bob' })).toEqual(first);
    expect(await saying(db, ana, request)('escalate', { to: 'group:ops' })).toMatchObject({ refused: 'handed_on' });
    expect(await kept()).toEqual([{ kind: 'escalate', person: 'ana', refused: null }, { kind: 'escalate', person: 'ana', refused: 'handed_on' }]);
    expect((await undelivered(db.pool)).filter(({ said }) => said.opKey === request.opKey).map(({ said }) => [said.verdict, said.to])).toEqual([['escalate', 'bob']]);
    expect((await undelivered(db.pool, { olderThanMs: 60_000 })).filter(({ said }) => said.opKey === request.opKey)).toEqual([]);
  });

  it('a hand-over that the episode did not take leaves the request where it was', async () => {
    const assignedTo = async (): Promise<unknown> => (await db.owner.query<{ to: string | null }>('select assigned_to as to from holdpoint.approvals where op_key = $1', [request.opKey])).rows[0]?.to;
    const first = await saying(db, ana, request)('escalate', { to: 'bob' });
    const second = await saying(db, bob, request)('escalate', { to: 'group:ops' });
    expect(await assignedTo()).toBe('group:ops');
    await notTaken(db.pool, second.decisionId, 'already_decided');
    expect(await assignedTo()).toBe('bob');
    await notTaken(db.pool, first.decisionId, 'already_decided');
    expect(await assignedTo()).toBeNull();
  });

  it('what never came to anything is refused with the end of the window', async () => {
    const two = await waitingRequest(db, { approvals_needed: 2 });
    await saying(db, ana, two)('approve');
    await saying(db, bob, two)('reject');
    await closeOpKey(db.pool, { worldId: two.worldId, opKey: two.opKey, tool: two.proposal.tool, reason: 'proposal_expired', by: 'engine', decision: 'expired' });
    expect((await decisionsOf(db.pool, two)).map((row) => [row.kind, row.refused])).toEqual([['approve', 'proposal_expired'], ['reject', 'proposal_expired']]);
  });

  it('an authenticated no that was let in stands against a bare yes that was faster at the episode', async () => {
    const no = await saying(db, ana, request)('reject', { comment: 'never' });
    const bare = { verdict: 'approve', by: 'bob', via: 'update', comment: '' } as const;
    await expect(commitProposal(db.pool, { ...request, decision: bare })).resolves.toMatchObject({ outcome: 'rejected', reason: 'approval_rejected' });
    const { rows } = await db.owner.query('select verdict, decided_by as by, via, comment, decision_ids::int[] as ids from holdpoint.approvals where op_key = $1', [request.opKey]);
    expect(rows).toEqual([{ verdict: 'reject', by: 'ana', via: 'cli', comment: 'never', ids: [no.decisionId] }]);
    const other = await waitingRequest(db);
    const edit = await saying(db, ana, other)('edit');
    await db.pool.query('select holdpoint.decide($1, $2, $3, $4, $5, $6)', [other.opKey, other.digest, 'reject', 'bob', 'signal', '']);
    expect((await db.owner.query('select verdict, decision_ids::int[] as ids from holdpoint.approvals where op_key = $1', [other.opKey])).rows).toEqual([{ verdict: 'edit', ids: [edit.decisionId] }]);
  });

  it('a hand-over that the episode did not know of is refused with the bare decision that it took', async () => {
    await saying(db, ana, request)('escalate', { to: 'bob' });
    await db.pool.query('select holdpoint.decide($1, $2, $3, $4, $5, $6)', [request.opKey, request.digest, 'reject', 'ana', 'update', '']);
    expect((await decisionsOf(db.pool, request)).map((row) => [row.kind, row.refused])).toEqual([['escalate', 'already_decided']]);
    const known = await waitingRequest(db);
    await saying(db, ana, known)('escalate', { to: 'bob' });
    await db.pool.query('select holdpoint.decide($1, $2, $3, $4, $5, $6)', [known.opKey, known.digest, 'reject', 'bob', 'update', '']);
    expect((await decisionsOf(db.pool, known)).map((row) => row.refused)).toEqual([null]);
  });

  it('words are not changed, by the owner neither, and a reminder is noted once while the request waits', async () => {
    await saying(db, ana, request)('comment');
    await expect(db.owner.query(`update holdpoint.decisions set comment = 'other' where op_key = $1`, [request.opKey])).rejects.toMatchObject({ code: '42501' });
    await expect(db.owner.query('truncate holdpoint.decisions')).rejects.toMatchObject({ code: '42501' });
    expect([await remind(db.pool, request.opKey), await remind(db.pool, request.opKey), await remind(db.pool, 'nothing:1')]).toEqual([true, true, false]);
    expect((await kept()).map((row) => row.kind)).toEqual(['comment', 'remind']);
  });
});
