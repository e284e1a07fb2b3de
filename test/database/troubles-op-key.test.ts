/** Trouble: one op key used many times at once, again after a failure, or with another content. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommitOutcome } from '../../contract/outcome.ts';
import { recordDecision } from '../../database/approvals.ts';
import { closeOpKey, commitProposal, commitQuery, outcomeOf, type CommitRequest } from '../../database/commit/commit.ts';
import { isContention } from '../../database/errors.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { seenWaitingFor, send, withSessions } from './support/sessions.ts';
import { approve, approvedRequest, countOf, effectsOf, guardOf, ledgerOf, propose, requestFor, seedFor, toolCases } from './support/tool-cases.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.close());

const closing = (request: CommitRequest): Parameters<typeof closeOpKey>[1] => ({ worldId: request.worldId, opKey: request.opKey, tool: request.proposal.tool, reason: 'cancelled', by: 'operator' });
const wordOf = (outcome: CommitOutcome): string => (outcome.outcome === 'rejected' ? outcome.reason : outcome.outcome);

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

it('twenty commits at once for one op key, ten with another payload, make one effect, nine replays and ten conflicts', async () => {
  for (const guard of ['none', 'version', 'predicate'] as const) {
    const worldId = await seedFor(db, 'record_invoice');
    const five = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice', args: { purchaseOrderId: 'p1', invoiceNumber: 'INV-1', amountCents: 5 } }), { guard: guardOf(guard) });
    const seven = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice', args: { purchaseOrderId: 'p1', invoiceNumber: 'INV-1', amountCents: 7 } }), { guard: guardOf(guard), opKey: five.opKey });
    await approve(db, five);
    const first = await withSessions(db.pool, 1, async ({ client }) => {
      // The approved one is under way when the nineteen others come, so that the winner is known and the rest really wait for it.
      await client.query('begin');
      const { rows } = await client.query<{ answer: string }>(commitQuery(five));
      const holding = outcomeOf(rows[0]?.answer ?? '', five);
      const others = Array.from({ length: 19 }, (_, index) => commitProposal(db.pool, index < 9 ? five : seven));
      await client.query('commit');
      const outcomes = await Promise.all(others);
      expect(tally(outcomes.map(wordOf))).toEqual({ replayed: 9, payload_conflict: 10 });
      for (const outcome of outcomes) if (outcome.outcome === 'replayed') expect(holding).toEqual({ outcome: 'committed', ledgerId: outcome.ledgerId });
      return 'ledgerId' in holding ? holding.ledgerId : undefined;
    });
    expect(first).toBeDefined();
    expect(await effectsOf(db, worldId, 'record_invoice')).toBe(1);
    expect(await countOf(db, 'select sum(amount_cents) as count from billing.postings where world_id = $1', worldId)).toBe(5);
    expect(await ledgerOf(db, five.opKey)).toEqual([
      { verdict: 'committed', reason: null, tries: 1 },
      { verdict: 'rejected', reason: 'payload_conflict', tries: 10 },
    ]);
  }
});

it('twenty commits at once with no head start for either payload still make one effect and no other error', async () => {
  const worldId = await seedFor(db, 'record_invoice');
  const five = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice', args: { purchaseOrderId: 'p1', invoiceNumber: 'INV-1', amountCents: 5 } }), { guard: guardOf('predicate') });
  const seven = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice', args: { purchaseOrderId: 'p1', invoiceNumber: 'INV-1', amountCents: 7 } }), { guard: guardOf('predicate'), opKey: five.opKey });
  await approve(db, five);
  const words = (await Promise.all(Array.from({ length: 20 }, (_, index) => commitProposal(db.pool, index % 2 === 0 ? five : seven)))).map(wordOf);
  expect(tally(words.filter((_, index) => index % 2 === 0))).toEqual({ committed: 1, replayed: 9 });
  // The other content is nobody's approved proposal before the commit, and another payload after it.
  for (const word of words.filter((_, index) => index % 2 === 1)) expect(['payload_conflict', 'stale_proposal']).toContain(word);
  expect(await effectsOf(db, worldId, 'record_invoice')).toBe(1);
});

it('an unapproved content that comes first under a key does not keep the approved one out', async () => {
  const worldId = await seedFor(db, 'record_invoice');
  const approved = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice' }), { guard: guardOf('predicate') });
  const stray = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice', args: toolCases.record_invoice.otherArgs }), { guard: guardOf('predicate'), opKey: approved.opKey });
  await approve(db, approved);
  await expect(commitProposal(db.pool, stray)).resolves.toMatchObject({ outcome: 'rejected', reason: 'stale_proposal' });
  await expect(commitProposal(db.pool, approved)).resolves.toMatchObject({ outcome: 'committed' });
});

it('a retry after the commit is answered with the first row, before any guard, although its own effect moved versions and epoch', async () => {
  for (const guard of ['epoch', 'version', 'predicate'] as const) {
    const request = await approvedRequest(db, 'grant_role', guardOf(guard));
    const first = await commitProposal(db.pool, request);
    expect(first.outcome).toBe('committed');
    expect(await commitProposal(db.pool, { ...request, attempt: 2 })).toEqual({ ...first, outcome: 'replayed' });
    expect(await effectsOf(db, request.worldId, 'grant_role')).toBe(1);
  }
});

it('a rejected attempt leaves the key open for the same content: it commits once the clause holds again', async () => {
  const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
  const set = (status: string): Promise<unknown> => db.pool.query('update access.people set status = $2 where world_id = $1', [request.worldId, status]);
  await set('SUSPENDED');
  await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ outcome: 'rejected', reason: 'status_violated' });
  await set('ACTIVE');
  await expect(commitProposal(db.pool, { ...request, attempt: 2 })).resolves.toMatchObject({ outcome: 'committed' });
  expect(await ledgerOf(db, request.opKey)).toEqual([
    { verdict: 'committed', reason: null, tries: 1 },
    { verdict: 'rejected', reason: 'status_violated', tries: 1 },
  ]);
});

it('closing a key waits for the commit in flight and returns its row', async () => {
  const request = await approvedRequest(db, 'change_delivery_address', guardOf('predicate'));
  await withSessions(db.pool, 2, async (committer, closer) => {
    await committer.client.query('begin');
    const { rows } = await committer.client.query<{ answer: string }>(commitQuery(request));
    const held = outcomeOf(rows[0]?.answer ?? '', request);
    const asked = closeOpKey(closer.client, closing(request));
    await seenWaitingFor(db.owner, { session: closer, asked }, committer);
    await committer.client.query('commit');
    expect({ ...held, state: 'committed' }).toEqual({ ...(await asked), outcome: 'committed' });
  });
  expect(await effectsOf(db, request.worldId, 'change_delivery_address')).toBe(1);
});

it('closing a key whose commit in flight rolls back closes it, also after an earlier rejected attempt left it open', async () => {
  for (const rejectedBefore of [false, true]) {
    const request = await approvedRequest(db, 'change_delivery_address', guardOf('predicate'));
    if (rejectedBefore) {
      await db.pool.query(`update orders.orders set status = 'PACKING' where world_id = $1`, [request.worldId]);
      expect(wordOf(await commitProposal(db.pool, request))).toBe('status_violated');
      await db.pool.query(`update orders.orders set status = 'PAID' where world_id = $1`, [request.worldId]);
    }
    await withSessions(db.pool, 2, async (committer, closer) => {
      await committer.client.query('begin');
      await committer.client.query(commitQuery(request));
      const asked = closeOpKey(closer.client, closing(request));
      await seenWaitingFor(db.owner, { session: closer, asked }, committer);
      await committer.client.query('rollback');
      expect(await asked).toEqual({ state: 'closed' });
    });
    expect(wordOf(await commitProposal(db.pool, request))).toBe('op_key_closed');
    expect(await effectsOf(db, request.worldId, 'change_delivery_address')).toBe(0);
  }
});

it('a straggler that waits for a closing in flight is refused and leaves no effect', async () => {
  const request = await approvedRequest(db, 'record_invoice', guardOf('none'));
  await withSessions(db.pool, 2, async (closer, committer) => {
    await closer.client.query('begin');
    await closeOpKey(closer.client, closing(request));
    const asked = send<{ answer: string }>(committer, commitQuery(request));
    await seenWaitingFor(db.owner, { session: committer, asked }, closer);
    await closer.client.query('commit');
    // It had applied its effect when the ledger refused it: nothing of it stays, and the rerun that the transaction helper makes of this finds the closing.
    await expect(asked).rejects.toSatisfy(isContention);
  });
  expect(await effectsOf(db, request.worldId, 'record_invoice')).toBe(0);
  await expect(commitProposal(db.pool, request)).resolves.toMatchObject({ outcome: 'rejected', reason: 'op_key_closed' });
  expect(await ledgerOf(db, request.opKey)).toEqual([
    { verdict: 'closed', reason: 'cancelled', tries: 1 },
    { verdict: 'rejected', reason: 'op_key_closed', tries: 1 },
  ]);
});

it('a decision that comes to a closed key, or waits for its closing, is not recorded', async () => {
  const worldId = await seedFor(db, 'record_invoice');
  const request = requestFor(worldId, await propose(db, worldId, { tool: 'record_invoice' }), { guard: guardOf('none') });
  await approve(db, request, { verdict: null });
  const decided = (): Promise<number> => countOf(db, 'select count(*) from holdpoint.approvals where op_key = $1 and verdict is not null', request.opKey);
  const decision = { verdict: 'approve', by: 'ana', via: 'update', comment: '' } as const;
  await withSessions(db.pool, 2, async (closer, committer) => {
    await closer.client.query('begin');
    await closeOpKey(closer.client, closing(request));
    const asked = send<{ answer: string }>(committer, commitQuery({ ...request, decision }));
    await seenWaitingFor(db.owner, { session: committer, asked }, closer);
    await closer.client.query('commit');
    expect(outcomeOf((await asked).rows[0]?.answer ?? '', request)).toMatchObject({ outcome: 'rejected', reason: 'op_key_closed' });
  });
  expect(await decided()).toBe(0);
  expect(await recordDecision(db.pool, { opKey: request.opKey, digest: request.digest, ...decision })).toBeNull();
  expect(await decided()).toBe(0);
});

it('closing many times at once, or against commits at once, ends in one state that all agree on', async () => {
  for (let round = 0; round < 10; round += 1) {
    const request = await approvedRequest(db, 'grant_role', guardOf('predicate'));
    const [commits, closings] = await Promise.all([
      Promise.all([1, 2, 3].map(() => commitProposal(db.pool, request))),
      Promise.all([1, 2, 3].map(() => closeOpKey(db.pool, closing(request)))),
    ]);
    const effects = await effectsOf(db, request.worldId, 'grant_role');
    expect(new Set(closings.map((settled) => settled.state))).toEqual(new Set([effects === 1 ? 'committed' : 'closed']));
    expect(new Set(commits.map((outcome) => (outcome.outcome === 'rejected' ? outcome.reason : 'stands')))).toEqual(new Set([effects === 1 ? 'stands' : 'op_key_closed']));
    expect(await countOf(db, `select count(*) from holdpoint.ledger where op_key = $1 and verdict in ('committed', 'closed')`, request.opKey)).toBe(1);
  }
});

it('closing records the end of the wait where nobody had decided, and leaves a decision that stands', async () => {
  const worldId = await seedFor(db, 'grant_role');
  const undecided = requestFor(worldId, await propose(db, worldId, { tool: 'grant_role' }), { guard: guardOf('predicate') });
  await approve(db, undecided, { verdict: null });
  const decided = await approvedRequest(db, 'grant_role', guardOf('predicate'));
  for (const request of [undecided, decided]) await closeOpKey(db.pool, { ...closing(request), decision: 'expired' });
  const { rows } = await db.owner.query<{ verdict: string }>('select verdict from holdpoint.approvals where op_key = any($1) order by decided_by', [[undecided.opKey, decided.opKey]]);
  expect(rows.map((row) => row.verdict)).toEqual(['approve', 'expired']);
});

it('an approval is for one world: in another it commits nothing, replays nothing and closes nothing', async () => {
  for (const guard of ['none', 'epoch', 'version', 'predicate'] as const) {
    const request = await approvedRequest(db, 'record_invoice', guardOf(guard));
    const elsewhere = { ...request, worldId: await seedFor(db, 'record_invoice') };
    expect(wordOf(await commitProposal(db.pool, elsewhere))).toBe('approval_missing');
    await expect(closeOpKey(db.pool, closing(elsewhere))).rejects.toThrow('another world');
    expect(wordOf(await commitProposal(db.pool, request))).toBe('committed');
    expect(wordOf(await commitProposal(db.pool, elsewhere))).toBe('payload_conflict');
    expect(await effectsOf(db, elsewhere.worldId, 'record_invoice')).toBe(0);
  }
});
