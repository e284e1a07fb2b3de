/** The deciding commands on a running engine: what people with tokens can say, an attacker's afternoon at these doors, and answers that get lost. */
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestOf } from '../../database/approvals.ts';
import { decisionsOf, hear } from '../../database/decisions.ts';
import { createToken, revokeToken, tokenHash, type NewToken } from '../../database/tokens.ts';
import type { Decision } from '../../contract/approval.ts';
import { say, type Answer, type Speech } from '../../inbox/decide.ts';
import { startSweep } from '../../inbox/sweep.ts';
import { planOf } from '../../scenarios/plan.ts';
import { update } from '../support/people.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { episodeRow, held, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const plan = planOf('change-delivery-address/0/clean');
let engine: Engine;
let env: Record<string, string>;
let maria: string;
let supervisor: string;
beforeAll(async () => {
  engine = await testEngine();
  env = { DATABASE_URL: engine.database.ownerUrl, TEMPORAL_ADDRESS: engine.settings.temporalAddress, TEMPORAL_NAMESPACE: engine.settings.temporalNamespace };
  [maria, supervisor] = await Promise.all([tokenOf('maria.lindqvist'), tokenOf('supervisor')]);
});
afterAll(() => engine.close());

async function tokenOf(person: string, more: Partial<NewToken> = {}): Promise<string> {
  return (await createToken(engine.database.owner, { person, scopes: ['view', 'approve', 'reject', 'edit', 'comment', 'escalate'], ttlMs: 3_600_000, ...more })).token;
}
const run = (token: string, ...args: string[]): Promise<Ran> => holdpointWith({ ...env, HOLDPOINT_TOKEN: token }, ...args);
/** The command's document, and its exit code beside it. */
async function json(token: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, printed, said } = await run(token, ...args, '--json');
  if (printed === '') throw new Error(said);
  return { ...(JSON.parse(printed) as Record<string, unknown>), code };
}
const speak = (token: string, { opKey, digest }: Decision, { timeoutMs = 10_000, ...more }: Partial<Speech> & { timeoutMs?: number } = {}): Promise<Answer> =>
  say({ client: engine.client, db: engine.database.pool, via: 'inbox', timeoutMs }, token, { kind: 'approve', opKey, digest, ...more });

test('a token approves, says so again without deciding twice, and another hears what stands', async () => {
  const { handle, decision } = await startHeld(engine, 'by-token');
  expect(await json(maria, 'approve', 'by-token', '--comment', 'fine')).toMatchObject({ code: 0, result: 'accepted', authenticated: true, message: 'Approved by maria.lindqvist.' });
  expect(await handle.result()).toMatchObject({ class: 'committed' });
  expect(await json(maria, 'approve', 'by-token')).toMatchObject({ code: 0, result: 'accepted', recorded: { verdict: 'approve', by: 'maria.lindqvist' } });
  const late = await run(supervisor, 'reject', 'by-token');
  expect(late).toMatchObject({ code: 1, printed: expect.stringMatching(/^Refused \(already_decided\): .* Recorded: approve by maria\.lindqvist at 2\d{3}-.*Z\.\n$/) as string });
  expect(await ledgerOf(engine, 'by-token')).toEqual({ committed: 1 });
  expect((await decisionsOf(engine.database.pool, decision)).map((row) => [row.person, row.kind, row.refused])).toEqual([['maria.lindqvist', 'approve', null], ['supervisor', 'reject', 'already_decided']]);
  expect(await requestOf(engine.database.pool, decision.opKey)).toMatchObject({ via: 'cli', comment: 'fine', decisionIds: [expect.any(Number)] });
});

test('show tells in words what is proposed, who decides, what was said, and that the world has moved', async () => {
  const { decision } = await startHeld(engine, 'shown');
  expect(await json(maria, 'comment', 'shown', '--comment', 'asked\u001b[2J the customer')).toMatchObject({ result: 'accepted', message: 'Comment of maria.lindqvist kept.' });
  const before = (await run('', 'show', 'shown')).printed;
  for (const part of ['shown:1: waits for a decision', 'Change the delivery address', 'newAddress (the complete new delivery address)', 'maria.lindqvist', ', as it still is', 'All that it needs is true', `approve --digest ${decision.digest} -- shown`, 'asked\\u{1b}[2J the customer'])
    expect(before).toContain(part);
  expect(before).not.toContain('\u001b');
  const { worldId } = await episodeRow(engine, 'shown');
  await engine.database.owner.query(`update orders.orders set status = 'PACKING' where world_id = $1`, [worldId]);
  expect((await run('', 'show', 'shown')).printed).toMatch(/orders\.orders\/\S+ version 1: version 2 by now\nNot true at this moment: the operational status\. This would be refused now\./);
  expect(await json('', 'show', 'shown')).toMatchObject({ check: { clauses: { status: false, policy: true } }, said: [{ kind: 'comment', person: 'maria.lindqvist' }], proposal: { tool: plan.tool } });
});

test('an edit asks again, its editor cannot approve it, somebody else can; one that the tool does not take, or that changes nothing, is refused and kept', async () => {
  const { handle, decision } = await startHeld(engine, 'edited');
  for (const set of ['newAddress=', `newAddress=${String(plan.arguments['newAddress'])}`]) {
    const refused = await json(maria, 'edit', 'edited', '--set', set);
    expect(refused).toMatchObject({ code: 1, result: 'refused', reason: 'malformed_decision', message: expect.stringContaining('In the arguments: ') as string });
  }
  expect(await run(maria, 'edit', 'edited', '--set', 'colour=red')).toMatchObject({ code: 2, said: expect.stringContaining('orderId, newAddress') as string });
  expect(await json(maria, 'edit', 'edited', '--set', 'newAddress=9 Edited Road', '--comment', 'typo')).toMatchObject({ code: 0, result: 'accepted' });
  const second = await held(engine, 'edited', 2);
  expect(await json(maria, 'approve', 'edited')).toMatchObject({ code: 1, reason: 'not_authorised' });
  // What was shown first was swapped for something else in between: the click meant the first.
  expect(await json(supervisor, 'approve', 'edited', '--digest', decision.digest)).toMatchObject({ code: 1, reason: 'already_decided', recorded: { verdict: 'edit', by: 'maria.lindqvist' } });
  expect(await speak(supervisor, { ...second, digest: decision.digest })).toMatchObject({ result: 'refused', reason: 'stale_proposal', recorded: null });
  expect(await json(supervisor, 'approve', 'edited', '--digest', second.digest)).toMatchObject({ code: 0, result: 'accepted' });
  expect(await handle.result()).toMatchObject({ class: 'committed', steps: 2 });
  expect((await decisionsOf(engine.database.pool, { episodeId: 'edited' })).map((row) => row.refused)).toEqual(['malformed_decision', 'malformed_decision', null, 'not_authorised', 'already_decided', 'stale_proposal', null]);
});

test('a request that is handed on is decided by them alone', async () => {
  const { handle } = await startHeld(engine, 'handed');
  expect(await json(maria, 'escalate', 'handed', '--to', 'mallory')).toMatchObject({ code: 1, reason: 'unfit_handover' });
  expect(await json(maria, 'escalate', 'handed', '--to', 'maria.lindqvist')).toMatchObject({ code: 1, reason: 'unfit_handover' });
  expect(await json(maria, 'escalate', 'handed', '--to', 'supervisor')).toMatchObject({ code: 0, message: 'Handed on by maria.lindqvist to supervisor, who alone can decide now.', recorded: null });
  expect(await json(maria, 'approve', 'handed')).toMatchObject({ code: 1, reason: 'handed_on' });
  expect(await json('', 'approve', 'handed', '--by', 'maria.lindqvist')).toMatchObject({ code: 1, reason: 'handed_on', authenticated: false });
  expect(await json(supervisor, 'reject', 'handed')).toMatchObject({ code: 0 });
  expect(await handle.result()).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });
});

test('many are approved under the digest of what was shown, each for its own proposal', async () => {
  const ids = ['many-1', 'many-2', 'many-3'];
  const started = await Promise.all(ids.map((id) => startHeld(engine, id, { batchId: 'in-bulk' })));
  const dry = await json(maria, 'approve', '--all', '--batch', 'in-bulk');
  expect(dry).toMatchObject({ dryRun: true, total: 3, person: 'maria.lindqvist' });
  expect(await json(maria, 'approve', '--all', '--batch', 'in-bulk', '--confirm', String(dry['selection']))).toMatchObject({ code: 0, accepted: 3, refused: 0, unknown: 0 });
  for (const { handle } of started) expect(await handle.result()).toMatchObject({ class: 'committed' });
  expect(await json(maria, 'approve', '--all', '--batch', 'in-bulk')).toMatchObject({ total: 0 });
});

describe('what the caller saw is not what happened', () => {
  test('no worker is up: unknown, and the same said again finishes it, once', async () => {
    const { handle, decision } = await startHeld(engine, 'lost');
    await engine.stopWorkers();
    expect(await speak(maria, decision, { timeoutMs: 1_000 })).toMatchObject({ result: 'unknown', reason: null, decisionId: expect.any(Number) as number });
    await engine.restart();
    expect(await speak(maria, decision)).toMatchObject({ result: 'accepted' });
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    expect(await speak(maria, decision)).toMatchObject({ result: 'accepted', recorded: { verdict: 'approve', by: 'maria.lindqvist' } });
    expect([await ledgerOf(engine, 'lost'), (await decisionsOf(engine.database.pool, decision)).map((row) => row.refused)]).toEqual([{ committed: 1 }, [null]]);
  });

  test('a command that died after the database had let it in: the sweep brings what it said, and notes what came too late', async () => {
    const [{ handle, decision }, late] = await Promise.all([startHeld(engine, 'swept'), startHeld(engine, 'swept-late')]);
    for (const of of [decision, late.decision]) await hear(engine.database.pool, tokenHash(maria), { kind: 'approve', opKey: of.opKey, digest: of.digest, via: 'cli', comment: '' });
    expect(await update(engine, 'swept-late', { ...late.decision, verdict: 'reject' })).toMatchObject({ result: 'accepted' });
    const sweep = startSweep({ client: engine.client, db: engine.database.pool }, { everyMs: 20, onError: (sentence) => { throw new Error(sentence); } });
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    await sweep.stop();
    expect(await ledgerOf(engine, 'swept')).toEqual({ committed: 1 });
    expect(await requestOf(engine.database.pool, decision.opKey)).toMatchObject({ decidedBy: 'maria.lindqvist', via: 'cli', decisionIds: [expect.any(Number)] });
    expect(await late.handle.result()).toMatchObject({ class: 'not_approved' });
  });

  test('whoever sends under a guessed id gets nobody else\'s answer spoilt, and a flood on one request holds up no other', async () => {
    const [spoilt, flooded] = await Promise.all([startHeld(engine, 'guessed'), startHeld(engine, 'flooded')]);
    const handle = (id: string): WorkflowHandle => engine.client.workflow.getHandle(id);
    const last = (await engine.database.owner.query<{ id: number }>('select coalesce(max(decision_id), 0)::int as id from holdpoint.decisions')).rows[0]?.id ?? 0;
    for (let next = last + 1; next < last + 8; next += 1)
      await handle('guessed').executeUpdate('decide', { args: [{ ...spoilt.decision, by: 'x', decisionId: 999_999 }], updateId: `heard-${String(next)}` }).catch(() => undefined);
    expect(await speak(supervisor, spoilt.decision, { kind: 'reject', comment: 'never' })).toMatchObject({ result: 'accepted' });
    expect(await spoilt.handle.result()).toMatchObject({ class: 'not_approved', reason: 'approval_rejected' });

    const [stuck, other] = [flooded, await startHeld(engine, 'behind-the-flood')];
    for (const { decision } of [stuck, other]) await hear(engine.database.pool, tokenHash(maria), { kind: 'approve', opKey: decision.opKey, digest: decision.digest, via: 'cli', comment: '' });
    const failing = Object.create(engine.client, { withDeadline: { value: <T>(deadline: number, send: () => Promise<T>) => engine.client.withDeadline(deadline, send) }, workflow: { value: {
      getHandle: (id: string) => (id === 'flooded' ? { executeUpdate: () => Promise.reject(new Error('the named fault: no more updates')) } : handle(id)),
    } } }) as typeof engine.client;
    const errors: string[] = [];
    const sweep = startSweep({ client: failing, db: engine.database.pool }, { everyMs: 20, onError: (sentence) => errors.push(sentence) });
    expect(await other.handle.result()).toMatchObject({ class: 'committed' });
    await sweep.stop();
    expect(errors).toContain('What maria.lindqvist said could not be brought: the named fault: no more updates');
    expect(await handle('flooded').query('progress')).toMatchObject({ phase: 'held' });
    await handle('flooded').terminate();
  });

  test('a bare update was faster: refused with who decided, and kept as refused though the database had let it in', async () => {
    const { handle, decision } = await startHeld(engine, 'faster');
    let isFirst = true;
    // Between what the database let in and its delivery.
    const client = Object.create(engine.client, { withDeadline: { value: async (...[deadline, send]: Parameters<typeof engine.client.withDeadline>) => {
      if (isFirst) expect(await update(engine, 'faster', decision)).toMatchObject({ result: 'accepted' });
      isFirst = false;
      return engine.client.withDeadline(deadline, send);
    } } }) as typeof engine.client;
    const answer = await say({ client, db: engine.database.pool, via: 'inbox' }, maria, { kind: 'approve', opKey: decision.opKey, digest: decision.digest });
    expect(answer).toMatchObject({ result: 'refused', reason: expect.stringMatching(/^already_(decided|closed)$/) as string, recorded: { verdict: 'approve', by: 'supervisor' } });
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    expect((await decisionsOf(engine.database.pool, decision)).map((row) => row.refused)).toEqual([answer.reason]);
  });
});

type Attack = { readonly how: string; readonly token?: Partial<NewToken> & { revoked?: true; expired?: true } | 'forged'; readonly args?: readonly string[]; readonly reason: string };
const attacks: readonly Attack[] = [
  { how: 'a token that was never made', token: 'forged', reason: 'not_authenticated' },
  { how: 'a token replayed after it was revoked', token: { revoked: true }, reason: 'not_authenticated' },
  { how: 'a token that has expired', token: { expired: true }, reason: 'not_authenticated' },
  { how: 'a token of another scope', token: { scopes: ['view', 'comment'] }, reason: 'out_of_scope' },
  { how: 'a token for another tool', token: { tools: ['grant_role'] }, reason: 'out_of_scope' },
  { how: 'a token of somebody on no list', token: { person: 'mallory' }, reason: 'not_authorised' },
  { how: 'a token of a name in other case', token: { person: 'Maria.lindqvist' }, reason: 'not_authorised' },
  { how: 'a token of a name with a Cyrillic letter', token: { person: 'm\u0430ria.lindqvist' }, reason: 'not_authorised' },
  { how: 'a digest swapped between showing and clicking', token: {}, args: ['--digest', 'b'.repeat(64)], reason: 'stale_proposal' },
  { how: "the simulated approver's name by hand", args: ['--by', 'auto'], reason: 'not_authorised' },
  { how: "the proposer's name by hand", args: ['--by', 'agent:always-act'], reason: 'not_authorised' },
  { how: 'a name with a space after it by hand', args: ['--by', 'maria.lindqvist '], reason: 'not_authorised' },
  { how: 'a name in other case by hand', args: ['--by', 'SUPERVISOR'], reason: 'not_authorised' },
  { how: 'a look-alike name by hand', args: ['--by', 'm\u0430ria.lindqvist'], reason: 'not_authorised' },
];

describe('an attacker at the command: refused with a reason, and nothing is written but the refusal', () => {
  let decision: Decision;
  beforeAll(async () => { ({ decision } = await startHeld(engine, 'attacked')); });

  async function tokenFor(token: Attack['token']): Promise<string> {
    if (token === undefined) return '';
    if (token === 'forged') return `hp_${'0'.repeat(12)}_${'A'.repeat(43)}`;
    const { revoked, expired, ...more } = token;
    const made = await tokenOf('maria.lindqvist', more);
    if (revoked === true) await revokeToken(engine.database.owner, made.slice(3, 15));
    if (expired === true) await engine.database.owner.query('update holdpoint.tokens set expires_at = clock_timestamp() where token_id = $1', [made.slice(3, 15)]);
    return made;
  }
  /** How many rows every table has, but those of tokens. */
  const sizes = async (): Promise<Record<string, number>> => {
    const tables = ['approvals', 'ledger', 'row_history', 'episodes', 'decisions', 'decision_refusals', 'group_members'];
    const { rows } = await engine.database.owner.query<Record<string, number>>(`select ${tables.map((table) => `(select count(*)::int from holdpoint.${table}) as ${table}`).join(', ')}`);
    return rows[0] ?? {};
  };

  test.each(attacks)('$how: $reason', async ({ token, args = [], reason }) => {
    const mine = await tokenFor(token);
    const before = await sizes();
    const answer = await json(mine, 'approve', 'attacked', ...args);
    expect(answer).toMatchObject({ code: 1, result: 'refused', reason, recorded: null });
    const kept = mine === '' ? 'decision_refusals' : 'decisions';
    expect(await sizes()).toEqual({ ...before, [kept]: (before[kept] ?? 0) + 1 });
    const { rows } = await engine.database.owner.query<{ size: number; reason: string }>(mine === ''
      ? 'select reason, length(r::text) as size from holdpoint.decision_refusals r order by at desc limit 1' : 'select refused as reason, length(d::text) as size from holdpoint.decisions d order by decision_id desc limit 1');
    expect(rows[0]).toMatchObject({ reason });
    expect(rows[0]?.size).toBeLessThan(3_000);
    expect(await requestOf(engine.database.pool, decision.opKey)).toMatchObject({ verdict: null, live: true, assignedTo: null });
  });

  test('a name beside a token is used wrongly, and a token among the arguments is not taken', async () => {
    expect(await run(maria, 'approve', 'attacked', '--by', 'supervisor')).toMatchObject({ code: 2, said: 'holdpoint: The token says who decides: leave --by out.\n' });
    expect(await run('', 'approve', 'attacked', '--token', maria)).toMatchObject({ code: 2 });
  });

  test('a decision that was heard for one kind opens the door for no other', async () => {
    const heard = await hear(engine.database.pool, tokenHash(maria), { kind: 'escalate', opKey: decision.opKey, digest: decision.digest, via: 'cli', comment: '', to: 'supervisor' });
    for (const other of [{ verdict: 'approve' }, { verdict: 'escalate', to: 'maria.lindqvist' }, { verdict: 'escalate', to: 'supervisor', by: 'supervisor' }, { verdict: 'reject', by: 'ceo' }] as const)
      expect(await update(engine, 'attacked', { ...decision, by: 'maria.lindqvist', decisionId: heard.decisionId, ...other }), JSON.stringify(other)).toMatchObject({ reason: 'not_authenticated' });
    expect(await json(supervisor, 'approve', 'attacked')).toMatchObject({ code: 0 });
    expect(await engine.client.workflow.getHandle('attacked').result()).toMatchObject({ class: 'committed' });
  });
});
