/** Taking a commit back: every row as it was, only from exactly what the commit left, once; and the judge that knows it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeWorlds, type WorldJudgement } from '../../checker/judge.ts';
import { scoreEpisode } from '../../checker/score.ts';
import { truthOf } from '../../cli/runtime/score.ts';
import { recordDecision } from '../../database/approvals.ts';
import { refusalNow } from '../../contract/preview.ts';
import { closeOpKey, commitProposal, type CommitRequest } from '../../database/commit/commit.ts';
import { previewProposal } from '../../database/preview.ts';
import { askForRollback, commitToUndo, rollbackProposal } from '../../database/rollbacks.ts';
import { changeWorld } from '../../database/worlds.ts';
import { Proposal } from '../../contract/proposal.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { templates } from '../../scenarios/index.ts';
import { actCase, type Acted } from '../support/acted-case.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { withSessions } from './support/sessions.ts';
import { interleave, orders } from './support/interleave.ts';

let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(() => db.close());

const address = 'change-delivery-address/0/clean';
const predicate = { kind: 'predicate', without: [] } as const;
const asked = { proposer: 'person:maria.lindqvist', windowMs: 3_600_000 };
const undoable = templates.filter((template) => toolContract(template.tool)?.irreversible === undefined).map((template) => template.name);
const lasting = templates.filter((template) => toolContract(template.tool)?.irreversible !== undefined).map((template) => template.name);

const committed = (caseId = address): ReturnType<typeof actCase> => actCase(db.pool, caseId, { kind: 'predicate', without: [] });

/** Asks for the rollback as the command does and has it approved as the simulated approver would. */
async function rollbackOf({ request }: Acted): Promise<CommitRequest> {
  const commit = await commitToUndo(db.pool, request.opKey);
  if (commit === undefined) throw new Error('Nothing was committed.');
  const { opKey, worldId, digest, proposal } = await askForRollback(db.pool, commit, asked);
  await recordDecision(db.pool, { opKey, digest, verdict: 'approve', by: 'auto', via: 'auto', comment: '' });
  return { opKey, worldId, digest, proposal: Proposal.parse(JSON.parse(proposal)), guard: { ...predicate, without: [] }, attempt: 1 };
}

async function judge(worldId: string): Promise<WorldJudgement> {
  const [judgement] = await judgeWorlds(db.pool, { worldIds: [worldId] });
  if (judgement === undefined) throw new Error('Nothing judged.');
  return judgement;
}

type Row = { table_name: string; key: string; row: Record<string, unknown> };
/** Every row of the world at an epoch, from the history; the checker holds the history against the tables. */
const rowsAt = async (worldId: string, epoch: number): Promise<Row[]> => (await db.owner.query<Row>(
  `select * from (select distinct on (table_name, key) table_name, key, new_row as row from holdpoint.row_history where world_id = $1 and epoch <= $2 order by table_name, key, id desc) x where row is not null order by 1, 2`, [worldId, epoch])).rows;
const without = (rows: Row[]): unknown[] => rows.map(({ row, ...rest }) => ({ ...rest, row: { ...row, version: 0 } }));
const epochOf = async (worldId: string): Promise<number> => Number((await db.owner.query<{ epoch: string }>('select epoch from holdpoint.epochs where world_id = $1', [worldId])).rows[0]?.epoch);

test.each(undoable)('%s: every row is as it was, versions go on, and the world is sound', async (template) => {
  const acted = await committed(`${template}/0/clean`);
  expect(acted.outcome.outcome).toBe('committed');
  const epoch = await epochOf(acted.worldId);
  const [before, after] = [await rowsAt(acted.worldId, epoch - 1), await rowsAt(acted.worldId, epoch)];
  const request = await rollbackOf(acted);
  const preview = await previewProposal(db.pool, acted.worldId, request.proposal);
  expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'committed' });
  const now = await rowsAt(acted.worldId, epoch + 1);
  expect(without(now)).toEqual(without(before));
  expect(without(after)).not.toEqual(without(before));
  const versions = (rows: Row[]): Map<string, number> => new Map(rows.map(({ table_name, key, row }) => [`${table_name}/${key}`, Number(row['version'])]));
  for (const { table, key, version } of request.proposal.readSet) expect(versions(now).get(`${table}/${key}`) ?? Infinity).toBeGreaterThan(Number(version));
  if (preview.change.state !== 'shown') throw new Error(preview.change.state);
  expect(preview.change.rows.map((row) => `${row.table}/${row.key ?? ''}`).sort()).toEqual(request.proposal.readSet.map((row) => `${row.table}/${row.key}`).sort());
  const judgement = await judge(acted.worldId);
  expect(judgement).toMatchObject({ status: 'sound', findings: [], why: null });
  expect(judgement.attempts).toMatchObject([{ unsafe: false }, { tool: 'rollback', rollsBack: acted.request.opKey, verdict: 'committed', unsafe: false, guardHeld: true, opKeyDuplicates: 0 }]);
  expect(await scoreEpisode(db.pool, { worldId: acted.worldId, episodeId: acted.episodeId, ...truthOf(acted.plan) })).toMatchObject({ committed: true, wrongEffect: false, diffExact: false, integrity: 'sound' });
});

test.each(lasting)('%s: what has left the database is not taken back, and the refusal is right', async (template) => {
  const acted = await committed(`${template}/0/clean`);
  const request = await rollbackOf(acted);
  expect(refusalNow(await previewProposal(db.pool, acted.worldId, request.proposal), request.guard)).toBe('irreversible_effect');
  expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'rejected', reason: 'irreversible_effect' });
  expect((await judge(acted.worldId))).toMatchObject({ status: 'sound', attempts: [{}, { reason: 'irreversible_effect', wronglyRejected: false, blockedThoughSafe: false }] });
});

const note = (text: string) => ({ actor: 'warehouse', reason: 'a note', changes: [{ update: 'orders.orders', keyColumn: 'order_id', key: 'ord-48213', set: { warehouse_note: text } }] });

describe('another writer', () => {
  test.each([
    ['another column', (worldId: string) => changeWorld(db.pool, worldId, note('fragile'))],
    ['a value that came back', async (worldId: string) => { await changeWorld(db.pool, worldId, note('x')); await changeWorld(db.pool, worldId, note('')); }],
    ['a row beside it', (worldId: string) => changeWorld(db.pool, worldId, { actor: 'fraud', reason: 'hold', changes: [{ insert: 'orders.holds', row: { order_id: 'ord-48213', cause: 'fraud check' } }] })],
  ])('%s is a divergence: said beforehand, refused by the commit, and no row changes', async (_, write) => {
    const acted = await committed();
    await write(acted.worldId);
    const request = await rollbackOf(acted);
    const epoch = await epochOf(acted.worldId);
    const preview = await previewProposal(db.pool, acted.worldId, request.proposal);
    expect([preview.refusal, preview.change]).toEqual(['state_diverged', { state: 'impossible', why: 'orders.orders/ord-48213 changed since the commit' }]);
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'rejected', reason: 'state_diverged', found: '{"diverged": ["orders.orders/ord-48213"]}'.replaceAll(': ', ':') });
    expect(await epochOf(acted.worldId)).toBe(epoch);
    expect(await judge(acted.worldId)).toMatchObject({ status: 'sound', attempts: [{}, { reason: 'state_diverged', wronglyRejected: false, failedClauses: ['status'] }] });
  });

  test.each(orders)('%s: either it is seen under the locks, or it comes after', async (order) => {
    const acted = await committed();
    const request = await rollbackOf(acted);
    const { outcome, waited } = await interleave(db, request, { order, writer: async ({ client }) => client.query(`update orders.orders set warehouse_note = 'late' where world_id = $1 and order_id = 'ord-48213'`, [acted.worldId]) });
    expect(outcome).toMatchObject(order === 'commit holds' ? { outcome: 'committed' } : { outcome: 'rejected', reason: 'state_diverged' });
    expect(waited).toBe(order === 'writer before' ? 'no' : 'work');
    expect((await judge(acted.worldId)).status).toBe('sound');
  });
});

describe('once', () => {
  test('the same call is replayed, another rollback of the same commit is refused, and so is the rollback of a rollback', async () => {
    const acted = await committed();
    const request = await rollbackOf(acted);
    const first = await commitProposal(db.pool, request);
    expect(await commitProposal(db.pool, request)).toEqual({ ...first, outcome: 'replayed' });
    const second = await rollbackOf(acted);
    expect(second.opKey).toBe(`rollback/${acted.request.opKey}:2`);
    expect(await commitProposal(db.pool, second)).toMatchObject({ outcome: 'rejected', reason: 'already_applied' });
    expect(await commitToUndo(db.pool, acted.request.opKey)).toMatchObject({ rolledBackBy: request.opKey });
    const ofRollback = await commitToUndo(db.pool, request.opKey);
    if (ofRollback === undefined) throw new Error('No rollback.');
    expect(await previewProposal(db.pool, acted.worldId, rollbackProposal(ofRollback, asked))).toMatchObject({ refusal: 'irreversible_effect' });
    expect(await judge(acted.worldId)).toMatchObject({ status: 'sound', attempts: [{}, { verdict: 'committed' }, { reason: 'already_applied', wronglyRejected: false }] });
  });

  test('two at once under two op keys: one is committed', async () => {
    const acted = await committed();
    const request = await rollbackOf(acted);
    await db.owner.query(`update holdpoint.approvals set expires_at = clock_timestamp() where op_key = $1`, [request.opKey]);
    const other = await rollbackOf(acted);
    await db.owner.query(`update holdpoint.approvals set expires_at = clock_timestamp() + interval '1 hour' where op_key = $1`, [request.opKey]);
    const outcomes = await Promise.all([commitProposal(db.pool, request), commitProposal(db.pool, other)]);
    expect(outcomes.map((outcome) => ('reason' in outcome ? outcome.reason : outcome.outcome)).sort()).toEqual(['already_applied', 'committed']);
    expect((await judge(acted.worldId)).status).toBe('sound');
  });

  test('while one waits, asking again finds it, whoever asks', async () => {
    const acted = await committed();
    const commit = await commitToUndo(db.pool, acted.request.opKey);
    if (commit === undefined) throw new Error('Nothing was committed.');
    const requests = await Promise.all(['ann', 'bob', 'ann'].map((name) => askForRollback(db.pool, commit, { ...asked, proposer: `person:${name}` })));
    requests.push(await askForRollback(db.pool, commit, { ...asked, proposer: 'person:cid' }));
    expect(new Set(requests.map((request) => request.opKey + request.digest)).size).toBe(1);
  });

  test('the action can be done again afterwards, and counts as no duplicate', async () => {
    const acted = await committed();
    await commitProposal(db.pool, await rollbackOf(acted));
    const { request } = acted;
    const again = { ...request, opKey: `${request.opKey}-again` };
    await db.owner.query(`insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at, verdict, decided_by, via, decided_at)
      select $2, world_id, episode_id, digest, proposal, tool, proposer, expires_at, verdict, decided_by, via, clock_timestamp() from holdpoint.approvals where op_key = $1`, [request.opKey, again.opKey]);
    expect(await commitProposal(db.pool, again)).toMatchObject({ outcome: 'committed' });
    expect((await judge(acted.worldId)).attempts.map((attempt) => attempt.unsafe)).toEqual([false, false, false]);
  });
});

describe('approval', () => {
  test.each([
    ['nobody decided', null, 'approval_missing'], ['its proposer decided', 'maria.lindqvist', 'not_authorised'], ['a stranger decided', 'mallory', 'not_authorised'],
  ])('%s: refused', async (_, by, reason) => {
    const acted = await committed();
    const commit = await commitToUndo(db.pool, acted.request.opKey);
    if (commit === undefined) throw new Error('Nothing was committed.');
    const { opKey, worldId, digest, proposal } = await askForRollback(db.pool, commit, asked);
    if (by !== null) await recordDecision(db.pool, { opKey, digest, verdict: 'approve', by, via: 'update', comment: '' });
    const request = { opKey, worldId, digest, proposal: Proposal.parse(JSON.parse(proposal)), guard: { ...predicate, without: [] }, attempt: 1 };
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'rejected', reason });
  });

  test('a closed op key takes nothing back any more', async () => {
    const request = await rollbackOf(await committed());
    expect(await closeOpKey(db.pool, { worldId: request.worldId, opKey: request.opKey, tool: 'rollback', reason: 'cancelled', by: 'engine' })).toEqual({ state: 'closed' });
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'rejected', reason: 'op_key_closed' });
  });

  test('a request whose policy is another tool\'s is refused', async () => {
    const acted = await committed();
    const request = await rollbackOf(acted);
    await db.owner.query(`update holdpoint.approvals set tool = 'grant_role' where op_key = $1`, [request.opKey]);
    expect(await commitProposal(db.pool, request)).toMatchObject({ outcome: 'rejected', reason: 'invalid_arguments' });
  });
});

describe('the judge', () => {
  /** Runs `work` while the database restores rows in another way. */
  async function withRestoring([from, to]: readonly [string, string], work: () => Promise<void>, name = 'restore_written'): Promise<void> {
    const { rows } = await db.owner.query<{ text: string }>(`select pg_get_functiondef(('holdpoint.' || $1)::regproc) as text`, [name]);
    const sound = rows[0]?.text ?? '';
    if (!sound.includes(from)) throw new Error(`${name} does not contain "${from}".`);
    await db.owner.query(sound.replace(from, to));
    try {
      await work();
    } finally {
      await db.owner.query(sound);
    }
  }

  test('a rollback that leaves an inserted row shows', async () => {
    const acted = await committed();
    await withRestoring(['if v_row.was is null then', 'if v_row.was is null then continue;'], async () => {
      expect(await commitProposal(db.pool, await rollbackOf(acted))).toMatchObject({ outcome: 'committed' });
    });
    const judgement = await judge(acted.worldId);
    expect([judgement.status, judgement.findings.map((finding) => finding.text)]).toEqual(['broken', [`rollback/${acted.request.opKey}:1: what it left of ${acted.request.opKey} is not what was there before`]]);
  });

  test('a rollback of a row that somebody had written to since shows as unsafe', async () => {
    const acted = await committed();
    await changeWorld(db.pool, acted.worldId, note('fragile'));
    await withRestoring(['if v_now is null or', 'if false and'], async () => {
      expect(await commitProposal(db.pool, await rollbackOf(acted))).toMatchObject({ outcome: 'committed' });
    }, 'lock_written');
    const judgement = await judge(acted.worldId);
    expect(judgement.attempts.at(-1)).toMatchObject({ tool: 'rollback', unsafe: true, failedClauses: ['status'], guardHeld: false });
    expect(judgement.status).toBe('broken');
  });
});

test('the worker cannot delete a row, nor restore any by itself', async () => {
  const acted = await committed();
  for (const sql of [`delete from orders.labels where world_id = $1`, `select holdpoint.restore_written($1, 'x')`, `select holdpoint.lock_written($1, 'x', 'y')`])
    await expect(db.pool.query(sql, [acted.worldId])).rejects.toMatchObject({ code: '42501' });
});

test('a preview does not wait long for a row that somebody holds, and leaves nothing, not even a waiting time', async () => {
  const acted = await committed();
  const { proposal } = await rollbackOf(acted);
  await withSessions(db.owner, 1, async ({ client }) => {
    await client.query('begin');
    await client.query('select from orders.orders where world_id = $1 for update', [acted.worldId]);
    expect((await previewProposal(db.pool, acted.worldId, proposal)).change).toEqual({ state: 'busy' });
  });
  const epoch = await epochOf(acted.worldId);
  await withSessions(db.pool, 1, async ({ client }) => {
    await client.query('begin');
    const { rows: [before] } = await client.query<{ t: string }>(`select current_setting('lock_timeout') as t`);
    await client.query('select holdpoint.preview_rollback($1, $2)', [acted.worldId, JSON.stringify(proposal.arguments)]);
    expect((await client.query<{ t: string }>(`select current_setting('lock_timeout') as t`)).rows[0]).toEqual(before);
    await client.query('commit');
  });
  expect(await epochOf(acted.worldId)).toBe(epoch);
});
