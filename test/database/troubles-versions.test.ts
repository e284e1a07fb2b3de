/** Trouble: version tokens that lie (text order, 2^53, rows put back) and digests that change on the way through the database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText, digestOf, digestOfText, type Json } from '../../contract/digest.ts';
import { proposalDigest } from '../../contract/proposal.ts';
import { closeOpKey, commitProposal, commitQuery, outcomeOf, type CommitRequest } from '../../database/commit/commit.ts';
import { changeWorld, epochOf, observeWorld } from '../../database/worlds.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { seenWaitingFor, send, standingOf, withSessions } from './support/sessions.ts';
import { approve, approvedRequest, contractOf, countOf, effectsOf, guardOf, propose, requestFor, seedFor, toolCases } from './support/tool-cases.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.close());

/** Sets a row's version as no writer could: by the owner, with the version trigger off. The history trigger stays on, so that reads see it. */
async function setVersion(worldId: string, version: string): Promise<void> {
  await db.owner.query('alter table access.people disable trigger a_version');
  try {
    await db.owner.query(`update access.people set version = $2 where world_id = $1 and person_id = 'ann'`, [worldId, version]);
  } finally {
    await db.owner.query('alter table access.people enable trigger a_version');
  }
}

async function versionRequest(worldId: string): Promise<CommitRequest> {
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'grant_role' }), { guard: guardOf('version') });
  await approve(db, request);
  return request;
}

const touch = (worldId: string): Promise<unknown> => db.pool.query(`update access.people set manager_note = manager_note || 'x' where world_id = $1 and person_id = 'ann'`, [worldId]);

describe.each(['9', '99', '9007199254740992', '9007199254740993', '9223372036854775800'])('a version %s', (version) => {
  it('is read digit for digit, accepted while it stands and refused one later', async () => {
    const worldId = await seedFor(db, 'grant_role');
    await setVersion(worldId, version);
    const later = await versionRequest(worldId);
    expect(later.proposal.readSet[0]).toEqual({ table: 'access.people', key: 'ann', version });
    await touch(worldId);
    const next = String(BigInt(version) + 1n);
    await expect(commitProposal(db.pool, later)).resolves.toMatchObject({
      outcome: 'rejected', reason: 'read_set_stale', expected: expect.stringContaining(`version ${version},`) as string, found: expect.stringContaining(`version ${next},`) as string,
    });
    const fresh = await versionRequest(worldId);
    expect(fresh.proposal.readSet[0]?.version).toBe(next);
    await expect(commitProposal(db.pool, fresh)).resolves.toMatchObject({ outcome: 'committed' });
    const { rows } = await db.owner.query<{ found: string }>(`select versions_found[1]::text as found from holdpoint.ledger where op_key = $1`, [fresh.opKey]);
    expect(rows[0]?.found).toBe(next);
  });
});

it('an epoch beyond 2^53 is carried and compared digit for digit', async () => {
  const worldId = await seedFor(db, 'grant_role');
  await db.owner.query('update holdpoint.epochs set epoch = 9007199254740992 where world_id = $1', [worldId]);
  await touch(worldId);
  expect(await epochOf(db.pool, worldId)).toBe('9007199254740993');
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'grant_role' }), { guard: guardOf('epoch') });
  await approve(db, request);
  await touch(worldId);
  await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ reason: 'epoch_moved', expected: 'epoch 9007199254740993', found: 'epoch 9007199254740994' });
});

it('a version cannot be set by hand: the trigger overrules what an update says', async () => {
  const worldId = await seedFor(db, 'grant_role');
  await db.pool.query('update access.people set version = 700 where world_id = $1', [worldId]);
  expect(await countOf(db, 'select version as count from access.people where world_id = $1', worldId)).toBe(2);
});

it('a row that is deleted and put back has another version, so that the version guard refuses it', async () => {
  const request = await approvedRequest(db, 'change_delivery_address', guardOf('version'));
  await db.pool.query('delete from holdpoint.policies where world_id = $1', [request.worldId]).catch(() => undefined); // refusing the deletion would be right too
  await db.pool.query(`insert into holdpoint.policies (world_id, tool, allowed, approvers) values ($1, 'change_delivery_address', false, '{ana}')`, [request.worldId]).catch(() => undefined);
  const [policy] = (await db.owner.query<{ allowed: boolean }>('select allowed from holdpoint.policies where world_id = $1', [request.worldId])).rows;
  const outcome = await commitProposal(db.pool, request);
  expect(outcome.outcome).toBe(policy?.allowed === false ? 'rejected' : 'committed');
});

it('a row that appears after the lock request is not trusted: it is not locked', async () => {
  const request = await approvedRequest(db, 'change_delivery_address', guardOf('predicate'));
  await db.owner.query('delete from holdpoint.policies where world_id = $1', [request.worldId]);
  await withSessions(db.pool, 3, async (holder, committer, withdrawer) => {
    await holder.client.query('begin');
    await holder.client.query(`update orders.orders set warehouse_note = 'x' where world_id = $1 and order_id = 'o1'`, [request.worldId]);
    await committer.client.query('begin');
    const asked = send<{ answer: string }>(committer, commitQuery(request));
    await seenWaitingFor(db.owner, { session: committer, asked }, holder);
    await db.pool.query(`insert into holdpoint.policies (world_id, tool, allowed, approvers) values ($1, 'change_delivery_address', true, '{ana}')`, [request.worldId]);
    await holder.client.query('commit');
    const { outcome } = outcomeOf((await asked).rows[0]?.answer ?? '', request);
    const withdrawn = send(withdrawer, { text: 'update holdpoint.policies set allowed = false where world_id = $1', values: [request.worldId] });
    const standing = await standingOf(db.owner, withdrawer, withdrawn);
    await committer.client.query('commit');
    await withdrawn;
    // Either the commit refused, or it holds the policy so that the withdrawal waits for it.
    expect({ outcome, standing }).not.toEqual({ outcome: 'committed', standing: 'done' });
  });
});

it('a hold that moves to another order moves the versions of both', async () => {
  const worldId = await seedFor(db, 'change_delivery_address');
  const versionOf = (order: string): Promise<number> => countOf(db, `select version as count from orders.orders where order_id = '${order}' and world_id = $1`, worldId);
  await db.pool.query(`insert into orders.holds (world_id, order_id, cause) values ($1, 'o1', 'fraud check')`, [worldId]);
  const before = [await versionOf('o1'), await versionOf('o2')];
  const moved = await db.pool.query(`update orders.holds set order_id = 'o2' where world_id = $1`, [worldId]).then(() => true, () => false);
  const after = [await versionOf('o1'), await versionOf('o2')];
  if (moved) expect(after.map((version, index) => version - (before[index] ?? 0))).toEqual([1, 1]);
  else expect(after).toEqual(before);
});

it('a row cannot move to another key or world behind the back of those who read it', async () => {
  const request = await approvedRequest(db, 'grant_role', guardOf('version'));
  const moved = await db.pool.query(`update access.roles set role_id = 'owner' where world_id = $1 and role_id = 'viewer'`, [request.worldId]).then(() => true, () => false);
  if (!moved) return;
  const { rows } = await db.pool.query<{ key: string }>(
    `select distinct on (key) key, new_row from holdpoint.row_history where world_id = $1 and table_name = 'access.roles' order by key, id desc`, [request.worldId],
  );
  const { rows: live } = await db.pool.query<{ key: string }>('select role_id as key from access.roles where world_id = $1 order by 1', [request.worldId]);
  expect(rows.map((row) => row.key)).toEqual(live.map((row) => row.key));
});

it('an update that hits no row is an error, never a success', async () => {
  const worldId = await seedFor(db, 'grant_role');
  await expect(changeWorld(db.pool, worldId, { actor: 't', reason: 't', changes: [{ update: 'access.people', keyColumn: 'person_id', key: 'bob', set: { status: 'LEFT' } }] })).rejects.toThrow('0 rows');
});

it('an amount at the limit is compared in the database, to the cent', async () => {
  for (const [limit, reason] of [['4999', 'policy_violated'], ['5000', null]] as const) {
    const request = await approvedRequest(db, 'record_invoice', guardOf('predicate'));
    await db.pool.query('update holdpoint.policies set max_amount_cents = $2 where world_id = $1', [request.worldId, limit]);
    const outcome = await commitProposal(db.pool, request);
    expect(outcome.outcome === 'rejected' ? outcome.reason : null).toBe(reason);
  }
});

it('a read as of an older epoch has values, versions and epoch of one moment', async () => {
  const worldId = await seedFor(db, 'grant_role');
  const contract = contractOf('grant_role');
  const read = (asOfEpoch?: string): ReturnType<typeof observeWorld> =>
    observeWorld(db.pool, { worldId, contract, keys: toolCases.grant_role.args, telemetry: { ageMs: 0, previousStatus: 'ok' }, ...(asOfEpoch !== undefined && { asOfEpoch }) });
  const old = await read();
  await changeWorld(db.pool, worldId, { actor: 'hr', reason: 'leave', changes: [
    { update: 'access.people', keyColumn: 'person_id', key: 'ann', set: { status: 'SUSPENDED' } },
    { update: 'access.roles', keyColumn: 'role_id', key: 'editor', set: { grantable: false } },
  ] });
  expect(await read(old.epoch)).toEqual(old);
  const now = await read();
  expect(now.epoch).toBe(String(BigInt(old.epoch) + 1n));
  expect(now.readSet.map((row) => row.version)).toEqual(['2', '2', '1']);
  expect(now.rows['the_person']?.['status']).toBe('SUSPENDED');
});

describe('a digest', () => {
  const documents: readonly { how: string; value: Json; same: Json }[] = [
    { how: 'keys of several lengths', value: { b: 1, aa: 2, a: 3 }, same: { a: 3, aa: 2, b: 1 } },
    { how: 'nested key orders', value: { x: { b: [1, { d: 1, c: 2 }], a: null } }, same: { x: { a: null, b: [1, { c: 2, d: 1 }] } } },
    { how: 'keys that look like numbers', value: { '10': 1, '9': 2 }, same: { '9': 2, '10': 1 } },
    { how: 'an amount with a trailing zero', value: { amount: 1.1 }, same: { amount: 1.10 } },
    { how: 'an id beyond 2^53 as text', value: { id: '9007199254740993' }, same: { id: '9007199254740993' } },
    { how: 'letters beyond ASCII', value: { name: 'Zoë 😀' }, same: { name: 'Zoë 😀' } },
  ];

  it.each(documents)('over $how is the same after a round trip through text, and for every order of keys', async ({ value, same }) => {
    expect(digestOf(value)).toBe(digestOf(same));
    const text = canonicalText(value);
    const { rows } = await db.owner.query<{ text: string; beside: Json }>('select $1::text as text, $1::jsonb as beside', [text]);
    expect(digestOfText(rows[0]?.text ?? '')).toBe(digestOf(value));
    expect(digestOf(rows[0]?.beside ?? null)).toBe(digestOf(value));
  });

  it('over a change deep inside is another', () => {
    expect(digestOf({ a: { b: { c: 1 } } })).not.toBe(digestOf({ a: { b: { c: 2 } } }));
    expect(digestOf({ id: '1' })).not.toBe(digestOf({ id: 1 }));
  });

  it('over an integer beyond 2^53 as a number is refused', () => {
    expect(() => digestOf({ id: 2 ** 53 })).toThrow(RangeError);
    expect(() => digestOf({ deep: [{ id: 9007199254740994 }] })).toThrow(RangeError);
    expect(() => digestOf({ x: Number.NaN })).toThrow();
  });

  it('of a proposal is the same when its stored canonical text is read back and frozen again', async () => {
    const worldId = await seedFor(db, 'record_invoice');
    const proposal = await propose(db, worldId, { tool: 'record_invoice' });
    const request = requestFor(worldId, proposal, { guard: guardOf('version') });
    await approve(db, request, { verdict: null });
    await db.owner.query('update holdpoint.approvals set proposal = $2 where op_key = $1', [request.opKey, canonicalText(proposal as unknown as Json)]);
    const { rows } = await db.pool.query<{ proposal: string; digest: string }>('select proposal, digest from holdpoint.approvals where op_key = $1', [request.opKey]);
    const row = rows[0];
    expect(digestOfText(row?.proposal ?? '')).toBe(row?.digest);
    expect(proposalDigest(JSON.parse(row?.proposal ?? '') as typeof proposal)).toBe(row?.digest);
  });
});

it('an effect is never half there: what a closed key refused left neither effect nor version behind', async () => {
  const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
  const epoch = await epochOf(db.pool, request.worldId);
  await closeOpKey(db.pool, { worldId: request.worldId, opKey: request.opKey, tool: 'grant_role', reason: 'cancelled', by: 'test' });
  await commitProposal(db.pool, request);
  expect(await epochOf(db.pool, request.worldId)).toBe(epoch);
  expect(await effectsOf(db, request.worldId, 'grant_role')).toBe(0);
});
