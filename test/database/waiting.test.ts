/** What waits, as people look for it: a thousand requests in one query, filters, tokens and groups by command, and text that cannot be trusted. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addToGroup } from '../../database/groups.ts';
import { identify, tokenHash } from '../../database/tokens.ts';
import { waitingRequests, type WaitingFilter } from '../../database/waiting.ts';
import type { CommitRequest } from '../../database/commit/commit.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { personWith, saying, waitingRequest } from './support/deciders.ts';

let db: TestDatabase;
let env: Record<string, string>;
let request: CommitRequest;
beforeAll(async () => {
  db = await testDatabase();
  env = { DATABASE_URL: db.ownerUrl, HOLDPOINT_TOKEN: '' };
  await addToGroup(db.owner, 'ops', 'carl');
  request = await waitingRequest(db);
});
afterAll(() => db.close());

const run = (args: readonly string[], more: Record<string, string> = {}): Promise<Ran> => holdpointWith({ ...env, ...more }, ...args);
/** As many more requests like the first; the tools take turns. */
const copy = (many: number, name: string): Promise<unknown> => db.owner.query(
  `insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
   select $3 || i || ':1', world_id, $3 || i, digest, proposal, case when i % 2 = 0 then tool else 'grant_role' end, case when i % 10 = 0 then 'person:bob' else proposer end, clock_timestamp() + i * interval '1 minute'
   from holdpoint.approvals, generate_series(1, $2::int) i where op_key = $1`, [request.opKey, many, name]);

describe('a thousand that wait', () => {
  beforeAll(() => copy(999, 'many-'));

  test('are listed as JSON from one query', async () => {
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    try {
      const { code, printed, said } = await run(['approvals', '--json']);
      expect([code, said, queries.mock.calls.length]).toEqual([0, '', 1]);
      const { approvals, total } = JSON.parse(printed) as { approvals: Record<string, unknown>[]; total: number };
      expect([approvals.length, total]).toEqual([1000, 1000]);
      expect(approvals[0]).toMatchObject({ tool: 'change_delivery_address', domain: 'access', arguments: { orderId: 'o1' }, needed: 1, approvedBy: [] });
    } finally {
      queries.mockRestore();
    }
  });

  test('are cut by a limit that says so', async () => {
    const { printed } = await run(['approvals', '--limit', '3']);
    expect(printed).toContain('3 of 1000 are shown');
    expect(printed.split('\n')).toHaveLength(6);
  });

  const count = async (filter: WaitingFilter): Promise<number> => (await waitingRequests(db.pool, filter)).total;
  test('are narrowed by tool, proposer, batch and what is left of the window', async () => {
    expect(await count({ tools: ['change_delivery_address'] })).toBe(500);
    expect(await count({ tools: [] })).toBe(0);
    expect(await count({ proposer: 'person:bob' })).toBe(99);
    expect(await count({ batchId: 'none' })).toBe(0);
    expect(await count({ dueWithinMs: 10.5 * 60_000 })).toBe(10);
  });

  test('are searched by what they say, in either order, and marked for whoever looks', async () => {
    expect(await count({ text: 'MANY-99' })).toBe(11);
    expect(await count({ text: '%' })).toBe(0);
    const seen = await waitingRequests(db.pool, { text: 'many-', proposer: 'person:bob' }, { viewer: 'bob', limit: 2 });
    expect([seen.waiting, seen.total, seen.rows.map((row) => [row.episodeId, row.mine])]).toEqual([1000, 99, [['many-10', false], ['many-20', false]]]);
    const soonest = await waitingRequests(db.pool, { text: 'many-', tools: ['change_delivery_address'] }, { viewer: 'ana', limit: 1 });
    const newest = await waitingRequests(db.pool, {}, { order: 'newest', limit: 1000 });
    expect([soonest.rows[0]?.mine, newest.rows.length, newest.rows.at(-1)?.opKey, newest.rows[0]?.mine]).toEqual([true, 1000, request.opKey, null]);
    expect((await waitingRequests(db.pool, { opKey: request.opKey })).rows.map((row) => row.opKey)).toEqual([request.opKey]);
  });

  test('are for whoever may decide: by name or group, not the proposer, letter for letter', async () => {
    const orders = { tools: ['change_delivery_address'] };
    expect(await count({ ...orders, approver: 'ana' })).toBe(500);
    expect(await count({ ...orders, approver: 'carl' })).toBe(500);
    expect(await count({ ...orders, approver: 'bob' })).toBe(401);
    for (const approver of ['Ana', 'ana ', '\u0430na', 'group:ops', 'mallory', '']) expect(await count({ approver }), approver).toBe(0);
  });

  test('are decided in bulk only under the digest of what was shown', async () => {
    const ana = ['--all', '--tool', 'change_delivery_address', '--json', '--by', 'ana'];
    const dry = JSON.parse((await run(['approve', ...ana])).printed) as { selection: string; dryRun: boolean; total: number };
    expect(dry).toMatchObject({ dryRun: true, total: 500, person: 'ana' });
    const rejecting = JSON.parse((await run(['reject', ...ana])).printed) as { selection: string };
    expect(rejecting.selection).not.toBe(dry.selection);
    await copy(2, 'later-');
    const late = await run(['approve', ...ana, '--confirm', dry.selection]);
    expect(late).toMatchObject({ code: 1, printed: '', said: expect.stringMatching(/^holdpoint: The selection is not the one that was shown: [^\n]*\n$/) as string });
    expect((await db.owner.query('select from holdpoint.approvals where verdict is not null')).rowCount).toBe(0);
  });
});

test('one that was handed on, or that somebody approved already, waits for others only', async () => {
  const [handed, two] = [await waitingRequest(db), await waitingRequest(db, { approvals_needed: 2 })];
  const ana = await personWith(db, 'ana');
  await saying(db, ana, handed)('escalate', { to: 'group:ops' });
  await saying(db, ana, two)('approve');
  const opKeys = async (approver: string): Promise<string[]> => (await waitingRequests(db.pool, { approver }, { limit: 2_000 })).rows.map((row) => row.opKey);
  expect(await opKeys('carl')).toEqual(expect.arrayContaining([handed.opKey, two.opKey]));
  const forAna = await opKeys('ana');
  expect([forAna.includes(handed.opKey), forAna.includes(two.opKey)]).toEqual([false, false]);
  expect((await waitingRequests(db.pool, { approver: 'carl' }, { limit: 2_000 })).rows.find((row) => row.opKey === two.opKey)).toMatchObject({ approvedBy: ['ana'], needed: 2 });
});

test('a list and a page show what a model wrote, and nothing of it controls the terminal', async () => {
  const hostile = await waitingRequest(db);
  await db.owner.query(`update holdpoint.approvals set episode_id = $2, proposer = $3, comment = $3 where op_key = $1`, [hostile.opKey, 'evil\u001b[2J\u202e', 'agent:\u001b]0;x\u0007']);
  for (const { printed } of [await run(['approvals', '--limit', '10000']), await run(['approvals', '--json', '--limit', '10000'])]) expect(printed).not.toMatch(/[\u001b\u0007]/);
  expect((await run(['approvals', '--limit', '10000'])).printed).toContain('evil\\u{1b}[2J\\u{202e} (cannot be typed)');
});

test('an id that is too long for a line is cut and says so, and the document has it whole', async () => {
  const long = await waitingRequest(db);
  const ids = ['e'.repeat(900), `o'${'p'.repeat(500)}`, `\u202e${'q'.repeat(500)}`, 'r'.repeat(80)];
  for (const [at, id] of ids.entries()) await db.owner.query(`insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
    select $2, world_id, $3, digest, proposal, tool, 'agent:long', expires_at + $4 * interval '1 minute' from holdpoint.approvals where op_key = $1`, [long.opKey, `${id}:1`, id, at]);
  const { printed } = await run(['approvals', '--proposer', 'agent:long']);
  const lines = printed.split('\n').slice(1, 5);
  for (const line of lines) expect(line.length).toBeLessThan(320);
  expect(lines[0]).toMatch(/ e{80}… \(cut: --json shows all 900 characters\)$/);
  expect(lines[1]).toMatch(/p… \(cut: --json shows all 502 characters\)$/);
  expect(lines[2]).toMatch(/q… \(cut: --json shows all 501 characters; cannot be typed\)$/);
  expect(lines[3]).toMatch(/ r{80}$/);
  const { approvals } = JSON.parse((await run(['approvals', '--proposer', 'agent:long', '--json'])).printed) as { approvals: { episodeId: string }[] };
  expect(approvals.map((row) => row.episodeId)).toEqual(ids);
});

describe('tokens and groups by command', () => {
  test('a token is printed alone on standard output, once, and works', async () => {
    const made = await run(['token', 'create', 'ana', '--scopes', 'view,approve', '--tools', 'grant_role', '--for', '2h']);
    const token = made.printed.trim();
    expect([made.code, token]).toEqual([0, expect.stringMatching(/^hp_[0-9a-f]{12}_[\w-]{43}$/)]);
    expect(made.said).not.toContain(token);
    expect(await identify(db.pool, tokenHash(token))).toMatchObject({ person: 'ana', scopes: ['view', 'approve'], tools: ['grant_role'] });
    const listed = await run(['token', 'list', '--json']);
    expect(listed.printed).not.toContain(token.slice(-43));
    const mine = JSON.parse((await run(['approvals', '--for-me', '--json', '--limit', '5'], { HOLDPOINT_TOKEN: token })).printed) as { approvals: unknown[] };
    expect(mine.approvals).toEqual([]); // the token is for another tool than those that ana is on the list of
    expect((await run(['token', 'revoke', token.slice(3, 15)])).code).toBe(0);
    expect(await identify(db.pool, tokenHash(token))).toBeUndefined();
    expect(await run(['approvals', '--for-me'], { HOLDPOINT_TOKEN: token })).toMatchObject({ code: 1, said: 'holdpoint: The token is unknown, revoked or expired.\n' });
  });

  test('people are put into groups and taken out', async () => {
    expect((await run(['group', 'add', 'night', 'dora'])).printed).toBe('dora is in night.\n');
    expect((await run(['group', 'add', 'night', 'dora'])).printed).toBe('dora is in night, as before.\n');
    expect(JSON.parse((await run(['group', 'list', '--json'])).printed)).toMatchObject({ groups: expect.arrayContaining([{ group: 'night', people: ['dora'] }]) as unknown });
    expect(JSON.parse((await run(['group', 'remove', 'night', 'dora', '--json'])).printed)).toEqual({ group: 'night', person: 'dora', changed: true });
  });

  test.each([
    [['token', 'create', 'ana '], 2], [['token', 'create', 'auto'], 2], [['token', 'create', 'ana', '--scopes', 'all'], 2], [['token', 'create', 'ana', '--tools', 'nothing'], 2], [['token', 'create', 'ana', '--for', '2y'], 2],
    [['token', 'revoke', 'none'], 1], [['group', 'add', 'x', 'group:y'], 2], [['approvals', '--tool', 'nothing'], 2], [['approvals', '--domain', 'nothing'], 2], [['approvals', '--due-within', 'soon'], 2],
    [['approvals', '--approver', 'group:ops'], 2], [['approvals', '--for-me'], 2], [['approve'], 2], [['approve', 'x', '--all'], 2], [['approve', 'x', '--tool', 'grant_role'], 2], [['approve', '--all', '--digest', 'x'], 2], [['approve', '--all', '--confirm', 'zz'], 2], [['escalate', '--all', '--to', 'ana', '--confirm', 'A'.repeat(64)], 2],
    [['edit', 'x', '--set', 'a=b'], 2], [['comment', 'x', '--comment', 'y'], 2], [['escalate', '--all', '--to', 'ana'], 2], [['approve', 'x', '--token-file', 'no/such/file'], 1], [['show', 'nobody'], 1], [['show', 'x', '--digest', 'y'], 2],
  ] as const)('%j is used wrongly: one sentence and exit code %i', async (args, code) => {
    const ran = await run(args);
    expect(ran).toMatchObject({ code, printed: '' });
    expect(ran.said).toMatch(/^(holdpoint: |error: )[^\n]*\n$/);
  });

  test('only the owner makes tokens', async () => {
    const worker = new URL(db.ownerUrl);
    const { url } = { url: (db.pool as unknown as { options: { connectionString: string } }).options.connectionString };
    expect(worker.toString()).not.toBe(url);
    expect(await run(['token', 'create', 'ana'], { DATABASE_URL: url })).toMatchObject({ code: 1, said: expect.stringContaining('Only the owner') as string });
  });
});
