/** Each proof of the checker is turned red by a leak planted as the owner, who can do what a worker cannot. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeWorlds, type WorldJudgement } from '../../checker/judge.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { changeWorld } from '../../database/worlds.ts';
import type { Guard } from '../../contract/guard.ts';
import { actCase, requestApproval, setUpCase } from '../support/acted-case.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(() => db.close());

const predicate: Guard = { kind: 'predicate', without: [] };
const clean = 'change-delivery-address/0/clean';

async function judge(worldId: string): Promise<WorldJudgement> {
  const [judgement] = await judgeWorlds(db.pool, { worldIds: [worldId] });
  if (judgement === undefined) throw new Error('nothing judged');
  return judgement;
}
const redProofs = (judgement: WorldJudgement): string[] => [...new Set(judgement.findings.map((finding) => finding.proof))];

/** Runs `work` while the commit function of the address tool has another text. */
async function withLeakyFunction(replace: readonly [string, string], work: () => Promise<void>): Promise<void> {
  const { rows } = await db.owner.query<{ text: string }>(`select pg_get_functiondef('holdpoint.commit_change_delivery_address'::regproc) as text`);
  const sound = rows[0]?.text ?? '';
  if (!sound.includes(replace[0])) throw new Error(`The commit function does not contain "${replace[0]}".`);
  await db.owner.query(sound.replace(replace[0], replace[1]));
  try {
    await work();
  } finally {
    await db.owner.query(sound);
  }
}

test('an untouched world is sound', async () => {
  const acted = await actCase(db.pool, clean, predicate);
  const judgement = await judge(acted.worldId);
  expect(judgement).toMatchObject({ status: 'sound', findings: [], why: null });
  expect(judgement.attempts).toMatchObject([{ verdict: 'committed', unsafe: false, guardHeld: true, failedClauses: [], opKeyDuplicates: 0, effectDuplicates: 0 }]);
});

test('a row written while the history was switched off shows, and so does the switch', async () => {
  const acted = await actCase(db.pool, clean, predicate);
  await db.owner.query('alter table orders.orders disable trigger z_history');
  await db.owner.query(`update orders.orders set status = 'SHIPPED' where world_id = $1`, [acted.worldId]);
  expect((await judge(acted.worldId)).findings.map((finding) => finding.text)).toContain('the history of orders.orders is switched off');
  await db.owner.query('alter table orders.orders enable trigger z_history');
  const after = await judge(acted.worldId);
  expect(after.findings.map((finding) => finding.text)).toEqual(['orders.orders/ord-48213 is not what its history says']);
  expect(after.status).toBe('broken');
  await changeWorld(db.pool, acted.worldId, { actor: 'x', reason: 'covers the track', changes: [{ update: 'orders.orders', keyColumn: 'order_id', key: 'ord-48213', set: { warehouse_note: 'x' } }] });
  expect((await judge(acted.worldId)).findings[0]?.text).toContain('has a gap before epoch');
});

test('a table that keeps no history, or lost its trigger, shows', async () => {
  const acted = await actCase(db.pool, clean, predicate);
  await db.owner.query('create table orders.secrets (world_id bigint not null, note text)');
  expect((await judge(acted.worldId)).findings.map((finding) => finding.text)).toContain('orders.secrets has worlds and keeps no history');
  await db.owner.query('drop table orders.secrets');
  await db.owner.query('drop trigger z_history on orders.labels');
  expect((await judge(acted.worldId)).findings.map((finding) => finding.text)).toContain('the history names orders.labels, which keeps none');
  await db.owner.query(`create constraint trigger z_history after insert or update or delete on orders.labels deferrable initially deferred
    for each row execute function holdpoint.record_change('label_id')`);
  expect((await judge(acted.worldId)).status).toBe('sound');
});

test('a history row that is taken away leaves a gap in the epochs', async () => {
  const acted = await actCase(db.pool, 'change-delivery-address/0/stale-read', { kind: 'none', without: [] });
  await db.owner.query('delete from holdpoint.row_history where world_id = $1 and epoch = 2', [acted.worldId]);
  expect(redProofs(await judge(acted.worldId))).toEqual(expect.arrayContaining(['epochs', 'history']));
});

test('one epoch written by two transactions shows', async () => {
  const acted = await actCase(db.pool, clean, predicate);
  await db.owner.query(`insert into holdpoint.row_history (world_id, epoch, table_name, key, old_row, new_row, actor, reason)
    select world_id, epoch, table_name, key, new_row, new_row, 'x', 'x' from holdpoint.row_history where world_id = $1 and table_name = 'orders.customers' limit 1`, [acted.worldId]);
  expect(redProofs(await judge(acted.worldId))).toEqual(['epochs']);
});

test('a guard that forgot a clause is unsafe, did not hold, and is found by the history', async () => {
  await withLeakyFunction(['when v_policy is not true and', 'when false and'], async () => {
    const acted = await actCase(db.pool, 'change-delivery-address/0/concurrent-mutation', predicate);
    const judgement = await judge(acted.worldId);
    expect(judgement.attempts).toMatchObject([{ verdict: 'committed', unsafe: true, failedClauses: ['policy'], guardHeld: false }]);
    expect(redProofs(judgement)).toEqual(['clauses']);
  });
});

test('a guard whose clause is worded wrongly is found on either side', async () => {
  await withLeakyFunction(['select the_order.status in', 'select the_order.status not in'], async () => {
    const refused = await judge((await actCase(db.pool, clean, predicate)).worldId);
    expect(refused.attempts).toMatchObject([{ verdict: 'rejected', reason: 'status_violated', wronglyRejected: true, blockedThoughSafe: true }]);
    expect(redProofs(refused)).toEqual(['clauses']);
    const leaked = await judge((await actCase(db.pool, 'change-delivery-address/0/stale-read', predicate)).worldId);
    expect(leaked.attempts).toMatchObject([{ verdict: 'committed', unsafe: true, failedClauses: ['status'] }]);
  });
});

test('a version or epoch rejection without a mismatch is wrong; one with it is not', async () => {
  for (const kind of ['version', 'epoch'] as const) {
    const right = await judge((await actCase(db.pool, 'grant-role/1/stale-read', { kind, without: [] })).worldId);
    expect(right.attempts).toMatchObject([{ verdict: 'rejected', wronglyRejected: false, blockedThoughSafe: true }]);
  }
  await withLeakyFunction(['when p_guard = \'version\' and v_versions_found is distinct from p_versions', 'when p_guard = \'version\''], async () => {
    const wrong = await judge((await actCase(db.pool, clean, { kind: 'version', without: [] })).worldId);
    expect(wrong.attempts).toMatchObject([{ verdict: 'rejected', reason: 'read_set_stale', wronglyRejected: true }]);
  });
});

test('a version guard that does not compare is found even where the commit was safe', async () => {
  await withLeakyFunction(['when p_guard = \'version\' and v_versions_found is distinct from p_versions', 'when false'], async () => {
    const judgement = await judge((await actCase(db.pool, 'change-delivery-address/1/stale-read', { kind: 'version', without: [] })).worldId);
    expect(judgement.attempts).toMatchObject([{ verdict: 'committed', unsafe: false, guardHeld: false }]);
    expect(redProofs(judgement)).toEqual(['clauses']);
  });
});

test('an effect twice under one op key, or none at all, shows', async () => {
  const insert = 'insert into orders.labels (world_id, order_id, address) values (p_world, a_order_id, a_new_address);';
  await withLeakyFunction([insert, insert + insert], async () => {
    const judgement = await judge((await actCase(db.pool, clean, predicate)).worldId);
    expect(judgement.attempts).toMatchObject([{ unsafe: true, opKeyDuplicates: 1, effectDuplicates: 1 }]);
    expect(redProofs(judgement)).toEqual(['effects']);
  });
  await withLeakyFunction([insert, ''], async () => {
    expect(redProofs(await judge((await actCase(db.pool, clean, predicate)).worldId))).toEqual(['effects']);
  });
});

test('the same business effect under two op keys is a duplicate of the second commit only', async () => {
  const none: Guard = { kind: 'none', without: [] };
  for (const template of ['change-delivery-address', 'record-invoice', 'grant-role', 'roll-back-release']) {
    const acted = await actCase(db.pool, `${template}/0/clean`, none);
    const again = await requestApproval(db.pool, { worldId: acted.worldId, episodeId: acted.episodeId, step: 2, proposal: acted.request.proposal, guard: none });
    await commitProposal(db.pool, again);
    const judgement = await judge(acted.worldId);
    expect(judgement.attempts.map((attempt) => [attempt.unsafe, attempt.effectDuplicates, attempt.opKeyDuplicates])).toEqual([[false, 0, 0], [true, 1, 0]]);
    expect(judgement.status).toBe('sound');
  }
});

test('an effect of the agent without a ledger row, and a ledger row without an effect, show', async () => {
  const acted = await actCase(db.pool, clean, predicate);
  const note = [{ update: 'orders.orders', keyColumn: 'order_id', key: 'ord-48213', set: { warehouse_note: 'behind the back' } }];
  await changeWorld(db.pool, acted.worldId, { actor: 'agent:test', reason: 'x', changes: note });
  expect(redProofs(await judge(acted.worldId))).toEqual(['ledger']);
  const second = await actCase(db.pool, clean, predicate);
  await changeWorld(db.pool, second.worldId, { actor: 'back-office', reason: 'x', opKey: second.request.opKey, changes: note });
  expect(redProofs(await judge(second.worldId))).toEqual(['ledger']);
  const third = await setUpCase(db.pool, clean, predicate);
  await db.owner.query(`insert into holdpoint.ledger (world_id, op_key, digest, tool, guard, verdict, attempt, approved_by, locked_at)
    values ($1, $2, $3, 'change_delivery_address', 'none', 'committed', 1, 'auto', clock_timestamp())`, [third.worldId, third.request.opKey, third.request.digest]);
  expect(redProofs(await judge(third.worldId))).toContain('ledger');
});

test('two committed rows of one op key show, and one in another world shows in both', async () => {
  const acted = await actCase(db.pool, clean, predicate);
  const { rows: unique } = await db.owner.query<{ name: string; definition: string }>(`select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'holdpoint.ledger'::regclass and indisunique and not indisprimary`);
  for (const index of unique) await db.owner.query(`drop index ${index.name}`);
  await db.owner.query(`insert into holdpoint.ledger (world_id, op_key, digest, tool, guard, verdict, attempt, approved_by, xact, locked_at, epoch_read, versions_read, status_held, policy_held, integrity_held, not_applied_held)
    select world_id, op_key, digest, tool, guard, verdict, attempt, approved_by, xact, locked_at, epoch_read, versions_read, true, true, true, true from holdpoint.ledger where world_id = $1`, [acted.worldId]);
  const judgement = await judge(acted.worldId);
  const [lower, higher] = [await setUpCase(db.pool, clean, predicate), await setUpCase(db.pool, clean, predicate)];
  for (const { worldId } of [lower, higher])
    await db.owner.query(`insert into holdpoint.ledger (world_id, op_key, tool, guard, verdict, reason, attempt) values ($1, 'shared', 'change_delivery_address', 'none', 'closed', 'cancelled', 1)`, [worldId]);
  const shared = [await judge(lower.worldId), await judge(higher.worldId)].map((world) => world.findings.map((finding) => finding.text));
  await db.owner.query('alter table holdpoint.ledger disable trigger append_only');
  await db.owner.query('delete from holdpoint.ledger where world_id = any ($1::bigint[])', [[acted.worldId, lower.worldId, higher.worldId]]);
  await db.owner.query('alter table holdpoint.ledger enable trigger append_only');
  for (const index of unique) await db.owner.query(index.definition);
  expect(judgement.findings.map((finding) => finding.text)).toContain(`${acted.request.opKey} has 2 final rows`);
  expect(shared).toEqual([['shared has 2 final rows'], ['shared has 2 final rows']]);
});

test('a commit whose approval is not in force shows', async () => {
  for (const change of [`verdict = 'reject'`, `decided_by = 'mallory'`, `expires_at = requested_at`, `proposer = 'auto'`]) {
    const acted = await actCase(db.pool, clean, predicate);
    await db.owner.query(`update holdpoint.approvals set ${change} where op_key = $1`, [acted.request.opKey]);
    expect(redProofs(await judge(acted.worldId))).toEqual(['approvals']);
  }
});

test('a window that was judged by the transaction\'s start instead of the clock shows', async () => {
  await withLeakyFunction(['v_locked := clock_timestamp()', 'v_locked := now()'], async () => {
    expect(redProofs(await judge((await actCase(db.pool, clean, predicate)).worldId))).toEqual(['approvals']);
  });
});

test('a world whose check crashes, or whose attempt cannot be judged, is unknown, and its neighbours are not', async () => {
  const fine = await actCase(db.pool, clean, predicate);
  const crashing = await actCase(db.pool, clean, predicate);
  await db.owner.query('alter table holdpoint.row_history disable trigger append_only');
  await db.owner.query(`update holdpoint.row_history set new_row = new_row || '{"allowed": "perhaps"}' where world_id = $1 and table_name = 'holdpoint.policies'`, [crashing.worldId]);
  await db.owner.query('alter table holdpoint.row_history enable trigger append_only');
  const closed = await setUpCase(db.pool, clean, predicate);
  await db.owner.query(`insert into holdpoint.ledger (world_id, op_key, digest, tool, guard, verdict, reason, attempt) values ($1, $2, 'x', 'unheard_of', 'none', 'rejected', 'status_violated', 1)`, [closed.worldId, closed.request.opKey]);
  const judgements = await judgeWorlds(db.pool, { worldIds: [fine.worldId, crashing.worldId, closed.worldId, '999999'] });
  expect(judgements.map((judgement) => judgement.status)).toEqual(['sound', 'unknown', 'unknown', 'broken']);
  expect(judgements[1]?.why).toContain('perhaps');
});
