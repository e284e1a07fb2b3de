/** Cancellation, termination and lost databases around a commit that is held open: what is said and what is there agree. */
import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { reconcile } from '../../cli/runtime/reconcile.ts';
import { scoreWith } from '../../cli/runtime/score.ts';
import { startEpisode } from '../../cli/runtime/client.ts';
import { requestOf } from '../../database/approvals.ts';
import { episodeRow, holdOrder, ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
const aborted: string[] = [];
beforeAll(async () => {
  engine = await testEngine({
    proposer: ({ signal, heartbeat }) => new Promise((_, reject) => {
      const beat = setInterval(heartbeat, 50);
      signal.addEventListener('abort', () => {
        clearInterval(beat);
        aborted.push('proposer');
        reject(signal.reason as Error);
      });
    }),
  });
});
afterAll(() => engine.close());

const endOf = (result: Promise<unknown>): Promise<string> => result.then((outcome) => (outcome as { class: string }).class, (error: unknown) => (error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure ? 'cancelled' : 'failed'));

/** Waits until somebody waits for a lock in this database: the commit is inside its transaction. */
async function commitWaits(): Promise<void> {
  await vi.waitFor(async () => {
    const { rowCount } = await engine.database.owner.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    if (rowCount === 0) throw new Error('Nobody waits.');
  }, { timeout: 10_000, interval: 10 });
}

test('cancelled while held: no row, the key is closed, and the request says so', async () => {
  const { handle } = await startHeld(engine, 'held');
  await handle.cancel();
  expect(await endOf(handle.result())).toBe('cancelled');
  expect(await ledgerOf(engine, 'held')).toEqual({ closed: 1 });
  expect((await episodeRow(engine, 'held')).outcome).toMatchObject({ class: 'cancelled', reason: 'cancelled' });
  expect(await requestOf(engine.database.pool, 'held:1')).toMatchObject({ verdict: 'cancelled', live: false });
});

test('cancelled while the model is asked: the question is aborted and no request appears afterwards', async () => {
  const handle = await startEpisode(engine.client, { episodeId: 'asking', input: { model: 'slow' } }, engine.start);
  await vi.waitFor(async () => { expect((await handle.query<{ phase: string }>('progress')).phase).toBe('proposing'); }, { interval: 20, timeout: 10_000 });
  await handle.cancel();
  expect(await endOf(handle.result())).toBe('cancelled');
  expect(await ledgerOf(engine, 'asking')).toEqual({ closed: 1 });
  expect(await requestOf(engine.database.pool, 'asking:1')).toBeUndefined();
});

test('cancelled while the commit is inside its transaction: it commits, and the end says committed before cancel', async () => {
  const { handle, decision } = await startHeld(engine, 'inside');
  const order = await holdOrder(engine, 'inside');
  await handle.executeUpdate('decide', { args: [decision] });
  await commitWaits();
  await handle.cancel();
  await order.release();
  expect(await endOf(handle.result())).toBe('committed');
  expect(await ledgerOf(engine, 'inside')).toEqual({ committed: 1 });
  const { searchAttributes } = await handle.describe() as { searchAttributes: Record<string, unknown> };
  expect(searchAttributes['holdpointOutcome']).toEqual(['committed_before_cancel']);
});

test('cancelled at twenty moments around an approval: never cancelled together with a row', async () => {
  const ends = await Promise.all(Array.from({ length: 20 }, async (_, index) => {
    const id = `moment-${String(index)}`;
    const handle = await startEpisode(engine.client, { episodeId: id, input: { model: 'always-act', score: false } }, engine.start);
    // Not by the clock: the episodes run beside each other on one worker, and the calls before the cancellation spread it over all their phases.
    for (let call = 0; call < index; call += 1) await handle.describe();
    await handle.cancel().catch(() => undefined);
    const end = await endOf(handle.result());
    const ledger = await ledgerOf(engine, id);
    expect([end, ledger]).toEqual(end === 'committed' ? ['committed', { committed: 1 }] : ['cancelled', { closed: 1 }]);
    return end;
  }));
  expect(ends).toHaveLength(20);
}, 60_000);

test('terminated inside the transaction: the reconciler finds the row and says what it is; before it, the key is closed', async () => {
  const inside = await startHeld(engine, 'killed-inside');
  const before = await startHeld(engine, 'killed-before');
  const order = await holdOrder(engine, 'killed-inside');
  await inside.handle.executeUpdate('decide', { args: [inside.decision] });
  await commitWaits();
  await Promise.all([inside.handle.terminate('test'), before.handle.terminate('test')]);
  const running = await startHeld(engine, 'still-running');
  const reconciling = reconcile({ client: engine.client, pool: engine.database.pool, score: scoreWith(engine.database.pool) });
  await order.release();
  const found = await reconciling;
  expect(found.map(({ episodeId, workflow, outcome, finding }) => [episodeId, workflow, outcome.class, finding]).sort()).toEqual([
    ['killed-before', 'was terminated', 'cancelled', 'nothing committed'], ['killed-inside', 'was terminated', 'committed', 'committed safely'],
  ]);
  expect(await ledgerOf(engine, 'killed-inside')).toEqual({ committed: 1, closed: 1 }); // the closed one is the step after, which never was
  expect(await ledgerOf(engine, 'killed-before')).toEqual({ closed: 2 });
  expect(await reconcile({ client: engine.client, pool: engine.database.pool, score: scoreWith(engine.database.pool) })).toEqual([]);
  await running.handle.cancel();
});

test('every connection of the worker is ended while episodes wait and while one commits: all end correctly', async () => {
  const waiting = await Promise.all(Array.from({ length: 5 }, (_, index) => startHeld(engine, `cut-${String(index)}`)));
  const kill = () => engine.database.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'holdpoint_worker'`);
  await kill();
  const order = await holdOrder(engine, 'cut-0');
  await Promise.all(waiting.map(({ handle, decision }) => handle.executeUpdate('decide', { args: [decision] })));
  await commitWaits();
  await kill();
  await order.release();
  for (const [index, { handle }] of waiting.entries()) {
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    expect(await ledgerOf(engine, `cut-${String(index)}`)).toEqual({ committed: 1 });
  }
}, 60_000);
