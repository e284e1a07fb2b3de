/** What somebody is told whose words cannot be let in: the true cause, before it is sent where it can be known, and never at the request's cost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../cli/runtime/decide.ts';
import type { Decision } from '../../contract/approval.ts';
import { decisionsOf } from '../../database/decisions.ts';
import { createToken, type NewToken } from '../../database/tokens.ts';
import { waitingRequests } from '../../database/waiting.ts';
import { say, type Answer, type Speech } from '../../inbox/decide.ts';
import { planOf } from '../../scenarios/plan.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { episodeRow, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const plan = planOf('change-delivery-address/0/clean');
const unknown = 'The token is unknown, revoked or expired.';
let engine: Engine;
let env: Record<string, string>;
let maria: string;
let decision: Decision;
beforeAll(async () => {
  engine = await testEngine();
  env = { DATABASE_URL: engine.database.ownerUrl, TEMPORAL_ADDRESS: engine.settings.temporalAddress, TEMPORAL_NAMESPACE: engine.settings.temporalNamespace };
  maria = await tokenOf('maria.lindqvist');
  ({ decision } = await startHeld(engine, 'words'));
});
afterAll(() => engine.close());

async function tokenOf(person: string, more: Partial<NewToken> = {}): Promise<string> {
  return (await createToken(engine.database.owner, { person, scopes: ['view', 'approve', 'reject', 'edit', 'comment', 'escalate'], ttlMs: 3_600_000, ...more })).token;
}
const run = (token: string, ...args: string[]): Promise<Ran> => holdpointWith({ ...env, HOLDPOINT_TOKEN: token }, ...args);
const speak = (token: string, more: Partial<Speech>): Promise<Answer> =>
  say({ client: engine.client, db: engine.database.pool, via: 'inbox' }, token, { kind: 'approve', opKey: decision.opKey, digest: decision.digest, ...more });
const kept = async (): Promise<number> => (await decisionsOf(engine.database.pool, decision)).length;
const commands: readonly (readonly [string, ...string[]])[] = [['approve'], ['reject'], ['edit', '--set', 'newAddress=9 Other Road'], ['edit', '--set', 'orderId=ord-none'], ['comment', '--comment', 'hm'], ['escalate', '--to', 'supervisor']];

describe('a token that nobody knows', () => {
  const forged = `hp_${'0'.repeat(12)}_${'A'.repeat(43)}`;
  test.each(commands)('is said to be that: %s %s', async (command, ...flags) => {
    expect(await run(forged, command, 'words', ...flags)).toMatchObject({ code: 1, printed: `Refused (not_authenticated): ${unknown}\n` });
  });
  test.each(['approve', 'reject', 'comment', 'escalate'])('in bulk too: %s --all', async (command) => {
    const flags = { comment: ['--comment', 'hm'], escalate: ['--to', 'supervisor'] }[command] ?? [];
    expect(await run(forged, command, '--all', ...flags)).toMatchObject({ code: 1, said: `holdpoint: ${unknown}\n` });
  });
  test('where a list for it, or a rollback by it, is asked for', async () => {
    expect(await run(forged, 'approvals', '--for-me')).toMatchObject({ code: 1, said: `holdpoint: ${unknown}\n` });
    await engine.run('to-undo');
    expect(await run(forged, 'propose-rollback', 'to-undo:1')).toMatchObject({ code: 1, said: `holdpoint: ${unknown}\n` });
  });
});

describe('a comment', () => {
  test.each(commands.map(([command, ...flags]): [string, ...string[]] => [command, ...(command === 'comment' ? [] : flags)]))('that is too long is refused with its length before it is sent: %s', async (command, ...flags) => {
    const before = await kept();
    for (const token of command === 'approve' || command === 'reject' ? [maria, ''] : [maria])
      expect(await run(token, command, 'words', ...flags, '--comment', 'x'.repeat(2_001))).toMatchObject({ code: 2, printed: '', said: 'holdpoint: --comment: The comment has 2,001 characters: it takes at most 2,000.\n' });
    expect(await kept()).toBe(before);
  });

  test.each(['', '  '])('that says nothing is refused with its limit before it is sent: %j', async (text) => {
    const before = await kept();
    expect(await run(maria, 'comment', 'words', '--comment', text)).toMatchObject({ code: 2, said: 'holdpoint: --comment: The comment is empty: it takes 1 to 2,000 characters.\n' });
    expect(await kept()).toBe(before);
  });

  test('that is sent all the same is refused with the same words, and kept as refused', async () => {
    const before = await kept();
    const refused = { result: 'refused', reason: 'malformed_decision' };
    expect(await speak(maria, { comment: 'x'.repeat(1_000_000) })).toMatchObject({ ...refused, message: expect.stringMatching(/ The comment has 1,000,000 characters: it takes at most 2,000\.$/) as string });
    expect(await speak(maria, { kind: 'comment', comment: ' \n ' })).toMatchObject({ ...refused, message: expect.stringMatching(/ The comment is empty: it takes 1 to 2,000 characters\.$/) as string });
    expect(await speak(maria, { comment: 'a\u0000' })).toMatchObject({ ...refused, message: expect.stringMatching(/ It holds characters that cannot be kept\.$/) as string });
    expect(await speak(maria, { kind: 'escalate', to: '' })).toMatchObject({ ...refused, message: expect.stringContaining('a person or group:<name>') as string });
    // 1,500 code points, which the database would take, and 3,000 units, which the episode would not.
    expect(await speak(maria, { comment: '😀'.repeat(1_500) })).toMatchObject({ ...refused, message: expect.stringContaining('3,000 characters') as string });
    expect(await kept()).toBe(before + 5);
    expect(await decide({ client: engine.client, db: engine.database.pool }, 'words', { ...decision, comment: 'x'.repeat(1_000_000) })).toMatchObject({ ...refused, message: expect.stringContaining('at most 2000 characters') as string });
  });

  test('of exactly 2,000 characters is kept', async () => {
    expect(await run(maria, 'comment', 'words', '--comment', 'x'.repeat(2_000))).toMatchObject({ code: 0 });
  });
});

describe('an edit that names a row that is not there', () => {
  test('is refused with the argument and the row, and the request waits on', async () => {
    const ended = await run(maria, 'edit', 'words', '--set', 'orderId=ord-none');
    expect(ended).toMatchObject({ code: 1, printed: expect.stringMatching(/^Refused \(malformed_decision\): .* In the arguments: orderId names no row that is there \(orders\.orders "ord-none"\)\.\n$/) as string });
    expect(await speak(maria, { kind: 'edit', arguments: { ...plan.arguments, orderId: 'ord-none' } })).toMatchObject({ result: 'refused', reason: 'malformed_decision' });
    expect((await decisionsOf(engine.database.pool, decision)).at(-1)).toMatchObject({ kind: 'edit', refused: 'malformed_decision' });
    expect((await waitingRequests(engine.database.pool, { opKey: decision.opKey })).total).toBe(1);
    expect(await ledgerOf(engine, 'words')).toEqual({});
  });

  test('or is gone by now, and the world has it no more', async () => {
    const gone = await startHeld(engine, 'gone');
    await engine.database.owner.query('delete from orders.orders where world_id = $1', [(await episodeRow(engine, 'gone')).worldId]);
    expect(await run(maria, 'edit', 'gone', '--set', 'newAddress=9 Other Road')).toMatchObject({ code: 1, printed: expect.stringContaining('orderId names no row that is there') as string });
    expect(await gone.handle.query('progress')).toMatchObject({ phase: 'held' });
  });

  test.each([
    ['a token of another scope', { scopes: ['view', 'comment'] }, 'out_of_scope'], ['a token for another tool', { tools: ['grant_role'] }, 'out_of_scope'], ['somebody on no list', { person: 'mallory' }, 'not_authorised'],
  ] as const)('tells %s nothing of which rows there are', async (_, more, reason) => {
    const token = await tokenOf('maria.lindqvist', more);
    for (const orderId of ['ord-none', String(plan.arguments['orderId'])])
      expect(await speak(token, { kind: 'edit', arguments: { orderId, newAddress: '9 Other Road' } })).toMatchObject({ result: 'refused', reason });
  });

  test('of a proposal that waits no more is refused for that', async () => {
    expect(await speak(maria, { kind: 'edit', digest: 'b'.repeat(64), arguments: { ...plan.arguments, orderId: 'ord-none' } })).toMatchObject({ reason: 'stale_proposal' });
  });
});

test('an edit of a rollback is told that there is nothing to edit', async () => {
  await engine.run('undone');
  await run(maria, 'propose-rollback', 'undone:1');
  const supervisor = await tokenOf('supervisor');
  const sentence = 'A rollback is about one commit: nothing of it can be edited. Approve or reject it.';
  expect(await run(supervisor, 'edit', 'rollback/undone:1', '--set', 'opKey=waits:1')).toMatchObject({ code: 1, said: `holdpoint: ${sentence}\n` });
  const { rows: [request] } = await waitingRequests(engine.database.pool, { text: 'rollback/undone' });
  const answer = await speak(supervisor, { kind: 'edit', opKey: request?.opKey ?? '', digest: request?.digest ?? '', arguments: { opKey: 'waits:1' } });
  expect(answer).toMatchObject({ reason: 'malformed_decision', message: expect.stringContaining('nothing of it can be edited') as string });
});

test('the simulated approver is nobody who could be asked: in the UI, in the list, on the page of a request', async () => {
  const handle = engine.client.workflow.getHandle('words');
  const { currentDetails = '' } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toContain('| may decide | supervisor, maria.lindqvist |');
  expect(await handle.query('progress')).toMatchObject({ request: { approvers: ['supervisor', 'maria.lindqvist'] } });
  for (const args of [['approvals'], ['approvals', '--json'], ['show', 'words'], ['show', 'words', '--json']]) {
    const { printed } = await run('', ...args);
    expect(printed).toContain('supervisor');
    expect(printed).not.toMatch(/\bauto\b/);
  }
  expect((await waitingRequests(engine.database.pool, { opKey: decision.opKey, approver: 'auto' })).total).toBe(0);
  await engine.run('simulated');
  const silent = await startHeld(engine, 'silent', { windowMs: 500 });
  await silent.handle.result();
  expect([(await run('', 'show', 'simulated')).printed, (await run('', 'show', 'silent')).printed]).toEqual([
    expect.stringMatching(/^simulated:1: approve, simulated, at 2\S*Z\n/), expect.stringMatching(/^silent:1: expired by engine at 2\S*Z \(by itself\)\n/)]);
});
