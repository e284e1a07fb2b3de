/** Forks on the real engine: the same commit under another guard, in a world made of the recorded history. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Comparison } from '../../cli/fork/compare.ts';
import { startEpisode } from '../../cli/runtime/client.ts';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import type { EpisodeOutcome } from '../../contract/outcome.ts';
import { Proposal } from '../../contract/proposal.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { forkable, forkPoint, replayBefore, seedFork, type ForkPoint } from '../../database/forks.ts';
import { changeWorld, epochOf } from '../../database/worlds.ts';
import { requestApproval } from '../support/acted-case.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { episodeRow, held, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';
import { decide } from '../../cli/runtime/decide.ts';

let engine: Engine;
/** How often a model was asked. */
let asked = 0;
beforeAll(async () => {
  engine = await testEngine({ proposer: ({ tool }) => {
    asked += 1;
    return Promise.resolve({ kind: 'act', reply: { decision: 'act', tool, arguments: { orderId: order, newAddress: '9 Model Street' } }, replyDigest: 'a'.repeat(64), asked: true, attempts: [] });
  } });
  await leak('leaked');
});
afterAll(() => engine.close());

const order = 'ord-48213';
const update = (set: Record<string, string>, table = 'orders.orders') => ({ update: table, keyColumn: table === 'orders.orders' ? 'order_id' : 'tool', key: table === 'orders.orders' ? order : 'change_delivery_address', set });

/** Commits without a guard after others have put a hold on the order, taken another one away and begun to pack; afterwards somebody goes on. */
async function leak(episodeId: string): Promise<void> {
  const { handle, decision } = await startHeld(engine, episodeId, { guard: { kind: 'none' } });
  const { worldId } = await episodeRow(engine, episodeId);
  const { pool, owner } = engine.database;
  await changeWorld(pool, worldId, { actor: 'risk', reason: 'two holds', changes: [{ insert: 'orders.holds', row: { order_id: order, cause: 'fraud' } }, { insert: 'orders.holds', row: { order_id: order, cause: 'typo' } }] });
  const { rows } = await owner.query<{ id: string }>(`select hold_id as id from orders.holds where world_id = $1 and cause = 'typo'`, [worldId]);
  await owner.query(`with said as materialized (select set_config('holdpoint.actor', 'risk', false), set_config('holdpoint.reason', 'a mistake', false)) update orders.holds set released = true from said where world_id = $1 and hold_id = $2`, [worldId, rows[0]?.id]);
  await changeWorld(pool, worldId, { actor: 'warehouse', reason: 'packing began', changes: [update({ status: 'PACKING' }), { insert: 'orders.labels', row: { order_id: order, address: '1 Elsewhere Road' } }, update({ warehouse_note: '' })] });
  await decide({ client: engine.client, db: pool }, episodeId, decision);
  await handle.result();
  await changeWorld(pool, worldId, { actor: 'warehouse', reason: 'sent off', changes: [update({ status: 'SHIPPED' })] });
}

async function fork(forkId: string, from: string, input: Partial<EpisodeInputGiven> = {}): Promise<EpisodeOutcome> {
  return (await startEpisode(engine.client, { episodeId: forkId, input: { fork: { episodeId: from }, ...input } }, engine.start)).result();
}

function command(...args: string[]): Promise<Ran> {
  const { settings, database } = engine;
  return holdpointWith({ DATABASE_URL: database.ownerUrl, TEMPORAL_ADDRESS: settings.temporalAddress, TEMPORAL_NAMESPACE: settings.temporalNamespace, HOLDPOINT_QUEUE_PREFIX: settings.queuePrefix }, 'fork', ...args);
}

const point = async (episodeId: string): Promise<ForkPoint> => {
  const found = await forkable(engine.database.pool, episodeId);
  if ('refused' in found) throw new Error(found.refused);
  return found.point;
};

/** A world's history as everybody can compare it: without the world's number, ids and times. Rows of one transaction in any order. */
async function historyOf(worldId: string, untilEpoch: string): Promise<unknown[]> {
  const { rows } = await engine.database.owner.query(
    `select epoch::int, table_name, key, actor, reason, old_row - 'world_id' as before, new_row - 'world_id' as after from holdpoint.row_history where world_id = $1 and epoch <= $2::bigint order by epoch, table_name, key, id`, [worldId, untilEpoch]);
  return rows as unknown[];
}

/** What the engine was asked to do, in order, and on which queue. */
async function activitiesOf(episodeId: string): Promise<string[]> {
  const { events } = await engine.client.workflow.getHandle(episodeId).fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: at }) => (at === null || at === undefined ? [] : [`${at.activityType?.name ?? ''} on ${at.taskQueue?.name?.replace(/^.*-/, '') ?? ''}`]));
}

/** Everything that is kept of a world, as one text. */
async function everything(worldId: string): Promise<string> {
  const { rows } = await engine.database.owner.query<{ all: string }>(
    `select jsonb_build_array((select jsonb_agg(to_jsonb(h) order by id) from holdpoint.row_history h where h.world_id = $1), (select jsonb_agg(to_jsonb(l) order by id) from holdpoint.ledger l where l.world_id = $1),
       (select jsonb_agg(to_jsonb(a) order by op_key) from holdpoint.approvals a where a.world_id = $1), (select to_jsonb(e) from holdpoint.episodes e where e.world_id = $1))::text as all`, [worldId]);
  return rows[0]?.all ?? '';
}

describe('one leak under every guard', () => {
  test.each([
    ['none', { kind: 'none' }, { class: 'committed' }], ['epoch', { kind: 'epoch' }, { class: 'refused', reason: 'epoch_moved' }], ['version', { kind: 'version' }, { class: 'refused', reason: 'read_set_stale' }],
    ['predicate', { kind: 'predicate' }, { class: 'refused', reason: 'status_violated' }], ['predicate without status', { kind: 'predicate', without: ['status'] }, { class: 'refused', reason: 'integrity_violated' }],
    ['predicate without status and integrity', { kind: 'predicate', without: ['status', 'integrity'] }, { class: 'committed' }],
  ] as const)('%s', async (name, guard, outcome) => {
    const forkId = `under ${name}`;
    expect(await fork(forkId, 'leaked', { guard: { kind: guard.kind, without: 'without' in guard ? [...guard.without] : [] } })).toMatchObject(outcome);
    const [from, into] = [await point('leaked'), await point(forkId)];
    expect(into.digest).toBe(from.digest);
    expect(into.epoch).toBe(from.epoch);
  });

  test('the fork has the recorded history before the commit, to the row and the version, and nothing that came after', async () => {
    await fork('same history', 'leaked', { guard: { kind: 'predicate' } });
    const [from, into] = [await point('leaked'), await point('same history')];
    expect(Number(from.epoch)).toBe(4);
    expect(await activitiesOf('same history')).toEqual(['mutate on commit', 'propose on commit', 'commit on commit']);
    const recorded = await historyOf(from.worldId, from.epoch);
    expect(await historyOf(into.worldId, '1000')).toEqual(recorded);
    expect(JSON.stringify(recorded)).toContain('packing began');
    expect(JSON.stringify(recorded)).not.toContain('sent off');
    expect(await epochOf(engine.database.pool, into.worldId)).toBe(from.epoch);
  });

  test('nobody is asked, no fault strikes, and the recorded episode stays as it is', async () => {
    const { worldId } = await episodeRow(engine, 'leaked');
    const before = await everything(worldId);
    await fork('harmless', 'leaked', { guard: { kind: 'none' }, model: 'no-such-model', faults: true, replans: 3 });
    expect(await everything(worldId)).toBe(before);
    const row = await episodeRow(engine, 'harmless');
    expect(row).toMatchObject({ forkedFrom: 'leaked:1', caseId: 'change-delivery-address/0/clean', model: 'always-act', score: { committed: true, unsafe: true } });
    expect(row.worldId).not.toBe(worldId);
  });

  test('what a model had proposed is proposed again without the model, on the queue of workers that have none', async () => {
    await engine.run('by a model', { model: 'fake', guard: { kind: 'none' } });
    expect(asked).toBe(1);
    expect(await fork('without it', 'by a model')).toMatchObject({ class: 'committed' });
    expect(asked).toBe(1);
    expect((await point('without it')).digest).toBe((await point('by a model')).digest);
    expect(await activitiesOf('without it')).toEqual(['propose on commit', 'commit on commit']);
  });

  test('a fork can be forked', async () => {
    await fork('forked once', 'leaked', { guard: { kind: 'none' } });
    expect(await fork('forked twice', 'forked once', { guard: { kind: 'predicate' } })).toMatchObject({ class: 'refused', reason: 'status_violated' });
    expect((await point('forked twice')).digest).toBe((await point('leaked')).digest);
  });
});

describe('what comes before the commit', () => {
  test('a race is made again on the side of the commit on which it was, and counts as having struck only there', async () => {
    const raced = { caseId: 'change-delivery-address/0/concurrent-mutation', guard: { kind: 'none' } } as const;
    // The commit locks its request before anything else: while somebody else has that, the others win for certain.
    const { handle, decision } = await startHeld(engine, 'raced', raced);
    const { worldId } = await episodeRow(engine, 'raced');
    const other = await engine.database.owner.connect();
    try {
      await other.query('begin');
      await other.query('select from holdpoint.approvals where op_key = $1 for update', ['raced:1']);
      await decide({ client: engine.client, db: engine.database.pool }, 'raced', decision);
      await vi.waitFor(async () => { expect(await epochOf(engine.database.owner, worldId)).toBe('2'); }, { timeout: 15_000 });
      await other.query('commit');
    } finally {
      other.release();
    }
    await handle.result();
    await engine.run('raced by chance', raced);
    for (const from of ['raced', 'raced by chance']) {
      const wasBefore = (await point(from)).epoch === '2';
      if (from === 'raced') expect(wasBefore).toBe(true);
      expect(await fork(`${from}, again`, from, { guard: { kind: 'predicate' } })).toMatchObject(wasBefore ? { class: 'refused', reason: 'policy_violated' } : { class: 'committed' });
      expect((await episodeRow(engine, `${from}, again`)).faults).toEqual(wasBefore ? { 'concurrent-mutation': 1 } : {});
    }
  });

  test('it is told by epochs and not by clocks: who began before the commit and ended after it comes after it', async () => {
    const { handle, decision } = await startHeld(engine, 'overtaken', { guard: { kind: 'none' } });
    const { worldId } = await episodeRow(engine, 'overtaken');
    const slow = await engine.database.owner.connect();
    await slow.query('begin');
    await slow.query(`select set_config('holdpoint.reason', 'began early', true)`);
    await slow.query('update orders.customers set name = name where world_id = $1', [worldId]);
    await decide({ client: engine.client, db: engine.database.pool }, 'overtaken', decision);
    await handle.result();
    await slow.query('commit');
    slow.release();
    const { printed } = await command('overtaken', '--json');
    expect(JSON.parse(printed)).toMatchObject({ replayed: [], notClaimed: [{ reason: 'began early' }], fork: { outcome: { class: 'committed' } } });
  });

  test('an earlier commit in the same world cannot be made again', async () => {
    await engine.run('first commit', { guard: { kind: 'none' } });
    const { worldId } = await episodeRow(engine, 'first commit');
    const { pool, owner } = engine.database;
    await owner.query(`insert into holdpoint.episodes (episode_id, batch_id, case_id, model, seed, guard, world_id, steps, outcome) select 'second/1', batch_id, case_id, model, seed, guard, world_id, steps, outcome from holdpoint.episodes where episode_id = 'first commit'`);
    const { proposal } = await point('first commit');
    const request = await requestApproval(pool, { worldId, episodeId: 'second/1', step: 1, proposal: Proposal.parse(JSON.parse(proposal)), guard: { kind: 'none', without: [] } });
    expect(await commitProposal(pool, request)).toMatchObject({ outcome: 'committed' });
    expect((await command('second/1')).said).toMatch(/has an earlier commit \(first commit:1\)/);
    expect(await forkable(pool, 'first commit')).toHaveProperty('point');
  });

  test('what was there before the read, and hidden from it, is there too', async () => {
    await engine.run('duplicated', { caseId: 'change-delivery-address/0/delayed-visibility', guard: { kind: 'none' } });
    expect(await fork('not duplicated', 'duplicated', { guard: { kind: 'predicate' } })).toMatchObject({ class: 'refused', reason: 'already_applied' });
    expect((await episodeRow(engine, 'not duplicated')).score).toMatchObject({ unsafe: false, safeSuccess: true });
  });

  test('a lost answer does not strike again', async () => {
    await engine.run('cut-line', { caseId: 'change-delivery-address/0/timeout-after-commit', guard: { kind: 'none' } });
    await fork('not cut', 'cut-line', { guard: { kind: 'none' } });
    expect((await episodeRow(engine, 'cut-line')).faults).toEqual({ 'timeout-after-commit': 1 });
    expect((await episodeRow(engine, 'not cut')).faults).toEqual({});
  });

  test('of several steps, the one that committed is repeated, with what it had read', async () => {
    expect(await engine.run('replanned', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' } })).toMatchObject({ class: 'committed', steps: 2 });
    expect(await fork('of step 2', 'replanned', { guard: { kind: 'version' } })).toMatchObject({ class: 'committed', steps: 1 });
    expect((await episodeRow(engine, 'of step 2')).forkedFrom).toBe('replanned:2');
    expect((await point('of step 2')).digest).toBe((await point('replanned')).digest);
  });

  test('a refused commit is repeated at the epoch that it found', async () => {
    await engine.run('blocked, right', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'epoch' }, replans: 0 });
    expect(await fork('let through', 'blocked, right', { guard: { kind: 'predicate' } })).toMatchObject({ class: 'committed' });
  });

  test('its window is as long as the recorded one and begins anew', async () => {
    await engine.run('short window', { windowMs: 5_000, guard: { kind: 'none' } });
    await engine.database.owner.query(`update holdpoint.approvals set requested_at = requested_at - interval '1 day', expires_at = expires_at - interval '1 day' where op_key = 'short window:1'`);
    const { handle, decision } = await startHeld(engine, 'anew', { fork: { episodeId: 'short window' }, windowMs: 1 });
    await decide({ client: engine.client, db: engine.database.pool }, 'anew', decision);
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    const timers = ((await handle.fetchHistory()).events ?? []).flatMap(({ timerStartedEventAttributes: at }) => (at?.startToFireTimeout ? [Number(at.startToFireTimeout.seconds)] : []));
    expect(timers).toEqual([5]);
    const { rows } = await engine.database.owner.query<{ ms: number }>(`select round(extract(epoch from expires_at - requested_at) * 1000)::int as ms from holdpoint.approvals where op_key = 'anew:1'`);
    expect(rows[0]?.ms).toBeGreaterThan(4_900);
    expect(rows[0]?.ms).toBeLessThan(5_100);
  });
});

describe('replaying', () => {
  test('goes on where it was, as often as it is repeated', async () => {
    const from = await point('leaked');
    const into = { episodeId: 'repeated', worldId: await seedFork(engine.database.pool, from, { label: 'repeated', episodeId: 'repeated' }) };
    await replayBefore(engine.database.pool, { from: { ...from, epoch: '2' }, into });
    await Promise.all([1, 2, 3].map(() => replayBefore(engine.database.pool, { from, into })));
    expect(await historyOf(into.worldId, '1000')).toEqual(await historyOf(from.worldId, from.epoch));
  });

  test('a world that somebody else wrote to is none to fork in', async () => {
    const from = await point('leaked');
    const { pool } = engine.database;
    const into = { episodeId: 'intruded', worldId: await seedFork(pool, from, { label: 'intruded', episodeId: 'intruded' }) };
    await changeWorld(pool, into.worldId, { actor: 'intruder', reason: 'was here', changes: [update({ warehouse_note: 'mine' })] });
    await expect(replayBefore(pool, { from, into })).rejects.toThrow(/is not what world \d+ was at epoch 4/);
  });

  test('so is one in which the intruder came last', async () => {
    const from = await point('leaked');
    const { pool } = engine.database;
    const into = { episodeId: 'late intruder', worldId: await seedFork(pool, from, { label: 'late intruder', episodeId: 'late intruder' }) };
    await replayBefore(pool, { from, into });
    await changeWorld(pool, into.worldId, { actor: 'intruder', reason: 'was here', changes: [update({ warehouse_note: 'mine' })] });
    await expect(replayBefore(pool, { from, into })).rejects.toThrow(/is not what world \d+ was at epoch 4/);
  });

  test('an update that changed nothing but the version is made again', async () => {
    const { handle, decision } = await startHeld(engine, 'touched', { guard: { kind: 'none' } });
    const { worldId } = await episodeRow(engine, 'touched');
    await changeWorld(engine.database.pool, worldId, { actor: 'office', reason: 'nothing', changes: [update({ status: 'PAID' }), update({ status: 'PAID' }), update({ note: '' }, 'holdpoint.policies')] });
    await decide({ client: engine.client, db: engine.database.pool }, 'touched', decision);
    await handle.result();
    expect(await fork('touched again', 'touched', { guard: { kind: 'version' } })).toMatchObject({ class: 'refused', reason: 'read_set_stale' });
    const [from, into] = [await point('touched'), await point('touched again')];
    expect((await historyOf(into.worldId, '1000')).at(-1)).toEqual((await historyOf(from.worldId, from.epoch)).at(-1));
  });

  test('what only the owner may write ends the fork, and says why', async () => {
    const { handle, decision } = await startHeld(engine, 'by owner', { guard: { kind: 'none' } });
    const { worldId } = await episodeRow(engine, 'by owner');
    await engine.database.owner.query('update holdpoint.policies set approvals_needed = 1, unauthenticated = false where world_id = $1', [worldId]);
    await engine.database.owner.query('update holdpoint.policies set unauthenticated = true where world_id = $1', [worldId]);
    await decide({ client: engine.client, db: engine.database.pool }, 'by owner', decision);
    await handle.result();
    const { code, said, printed } = await command('by owner', '--id', 'not the owner', '--json');
    expect([code, said]).toEqual([1, 'holdpoint: The fork not the owner failed: The database refused the statement.\n']);
    expect(JSON.parse(printed)).toMatchObject({ fork: { outcome: { class: 'infrastructure_failure', reason: 'database_refused' } } });
    expect(await ledgerOf(engine, 'not the owner')).toEqual({ closed: 1 });
  });
});

describe('the command', () => {
  test('shows both sides, as text and as JSON', async () => {
    const json = await command('leaked', '--guard', 'predicate', '--without', 'status', '--json');
    expect(json.code).toBe(0);
    const said = JSON.parse(json.printed) as Comparison;
    expect(said).toMatchObject({
      sameProposal: true, origin: { guard: 'none', judged: { unsafe: true } }, fork: { episodeId: 'leaked/fork/predicate-status/1', guard: 'predicate-status', outcome: { class: 'refused', reason: 'integrity_violated' }, judged: { unsafe: false } },
    });
    expect(said.origin.boundary?.clauses).toEqual(said.fork.boundary?.clauses);
    expect(said.replayed.map((write) => write.reason)).toEqual(['two holds', 'a mistake', 'packing began']);
    expect(said.notClaimed.map((write) => write.reason)).toEqual(['sent off']);
    const text = await command('leaked', '--without', 'status');
    expect(text.printed).toContain('Under none it was committed, unsafely (');
    expect(text.printed).toContain('leaked/fork/predicate-status/2');
    expect(text.printed).toMatch(/orders\.orders\/ord-48213 +version 1, 5 +version 1, 5/);
    expect(text.printed).toMatch(/not claimed: 1\n {2}epoch 6 {2}warehouse: sent off/);
  });

  test('people decide about a fork where they are asked to', async () => {
    const running = command('leaked', '--guard', 'none', '--manual', '--id', 'by people', '--json');
    const decision = await vi.waitFor(() => held(engine, 'by people'), { timeout: 15_000 });
    await decide({ client: engine.client, db: engine.database.pool }, 'by people', decision);
    const { code, printed } = await running;
    expect([code, (JSON.parse(printed) as Comparison).fork.boundary?.decidedBy]).toEqual([0, ['supervisor']]);
  });

  test('interrupted, it cancels the fork and closes its op key', async () => {
    const running = command('leaked', '--manual', '--id', 'interrupted');
    await vi.waitFor(() => held(engine, 'interrupted'), { timeout: 15_000 });
    process.emit('SIGINT');
    const { code, said } = await running;
    expect(code).toBe(1);
    expect(said).toContain('holdpoint: Interrupted: the fork was cancelled.');
    expect(await ledgerOf(engine, 'interrupted')).toEqual({ closed: 1 });
  });

  test('what cannot be forked is refused in one sentence', async () => {
    await engine.run('abstained', { model: 'always-abstain' });
    const running = await startHeld(engine, 'running');
    await engine.run('cleaned');
    await engine.database.owner.query(`delete from holdpoint.episodes where episode_id = 'cleaned'`);
    const sentences: [string[], number, RegExp][] = [
      [['nobody\u001b[31m'], 1, /^holdpoint: The database holds no episode "nobody[^\n\u001b]*\n$/], [['abstained'], 1, /never tried to commit \(it ended as abstained\)/], [['running'], 1, /has not ended/], [['cleaned'], 1, /was cleaned away/],
      [['leaked', '--at', 'proposal'], 2, /--at takes "commit", not "proposal"/], [['leaked', '--guard', 'version', '--without', 'policy'], 2, /Only a predicate guard can leave clauses out/], [['leaked', '--without', 'luck'], 2, /There is no clause "luck"/],
      [['leaked', '--id', 'leaked'], 1, /is used already/],
    ];
    for (const [args, code, sentence] of sentences) {
      const ran = await command(...args);
      expect([ran.code, ran.printed], args.join(' ')).toEqual([code, '']);
      expect(ran.said).toMatch(sentence);
    }
    await expect(fork('of nothing', 'abstained')).rejects.toMatchObject({ cause: { message: expect.stringContaining('never tried to commit') as string } });
    expect(await forkPoint(engine.database.pool, 'abstained:1')).toBeUndefined();
    await running.handle.cancel();
  });
});
