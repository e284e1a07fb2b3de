/** Batches: the sliding window, pages, pause and resume, cancellation, and children that end badly. */
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startBatch, startEpisode } from '../../cli/runtime/client.ts';
import type { BatchInputGiven } from '../../contract/batch-input.ts';
import type { batch, BatchProgress } from '../../workflows/index.ts';
import { episodeRow, held, ledgerOf, testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
const failing = new Set<string>();
let triesLeft = 10;
beforeAll(async () => {
  engine = await testEngine({
    // Fails in the step after the commit: once for good, or as often as the step is tried in one run.
    score: ({ episodeId }) => {
      if (failing.delete(episodeId)) return Promise.reject(ApplicationFailure.nonRetryable('planned', 'planned'));
      triesLeft -= episodeId === 'retried' ? 1 : 0;
      if (episodeId === 'retried' && triesLeft >= 0) return Promise.reject(ApplicationFailure.create({ message: 'planned', type: 'planned', nextRetryDelay: '1 ms' }));
      return Promise.resolve({ leaked: false });
    },
  });
});
afterAll(() => engine.close());

const one: BatchInputGiven = { templates: ['change-delivery-address'], instances: [0], conditions: ['clean'], models: ['always-act'] };
const idOf = (batchId: string, guard: string, instance = 0): string => `${batchId}/change-delivery-address/${String(instance)}/clean/always-act/1/${guard}`;
const run = async (batchId: string, input: BatchInputGiven): Promise<BatchProgress> => (await startBatch(engine.client, { batchId, input }, engine.start)).result();
const progressOf = (batchId: string): Promise<BatchProgress> => engine.client.workflow.getHandle<typeof batch>(batchId).query<BatchProgress>('progress');

test('a design runs page by page, continuing as new; run again it does nothing twice', async () => {
  const input: BatchInputGiven = { ...one, instances: [0, 1], window: 3, pageSize: 3 };
  const handle = await startBatch(engine.client, { batchId: 'pages', input }, engine.start);
  const first = handle.firstExecutionRunId;
  expect(await handle.result()).toEqual({ planned: 8, done: 8, running: 0, failed: 0, skipped: 0, paused: false, classes: { committed: 8 } });
  const last = await engine.client.workflow.getHandle('pages').describe();
  expect(last.runId).not.toBe(first);
  expect(await run('pages', input)).toMatchObject({ planned: 8, done: 8, classes: {} });
  const { rows } = await engine.database.owner.query(`select from holdpoint.ledger where starts_with(op_key, 'pages/') and verdict = 'committed'`);
  expect(rows).toHaveLength(8);
});

test('children carry the batch, template, guard and condition as search attributes', async () => {
  await run('attributes', { ...one, guards: [{ kind: 'predicate', without: ['policy'] }] });
  const { searchAttributes } = await engine.client.workflow.getHandle(idOf('attributes', 'predicate-policy')).describe() as { searchAttributes: Record<string, unknown> };
  expect(searchAttributes).toMatchObject({
    holdpointBatch: ['attributes'], holdpointTemplate: ['change-delivery-address'], holdpointGuard: ['predicate-policy'], holdpointCondition: ['clean'], holdpointOutcome: ['committed'], holdpointLeaked: [false],
  });
});

test('the default argument is the smoke design', async () => {
  const handle = await startBatch(engine.client, { batchId: 'default', input: { models: ['always-act'] } }, engine.start);
  expect(await handle.result()).toMatchObject({ planned: 32, done: 32, failed: 0 });
}, 60_000);

test('paused, no child starts; resumed, the batch goes on to its end', async () => {
  const handle = await startBatch(engine.client, { batchId: 'pause', input: { ...one, window: 2, approval: { mode: 'manual' } } }, engine.start);
  const [none, epoch] = await Promise.all([held(engine, idOf('pause', 'none')), held(engine, idOf('pause', 'epoch'))]);
  expect(await handle.executeUpdate<BatchProgress, []>('pause')).toMatchObject({ running: 2, paused: true });
  await Promise.all([none, epoch].map((decision) => engine.client.workflow.getHandle(decision.opKey.replace(/:1$/, '')).executeUpdate('decide', { args: [decision] })));
  await vi.waitFor(async () => { expect(await progressOf('pause')).toMatchObject({ done: 2, running: 0, paused: true }); }, { interval: 20, timeout: 10_000 });
  await handle.signal('resume');
  const rest = await Promise.all([held(engine, idOf('pause', 'version')), held(engine, idOf('pause', 'predicate'))]);
  await Promise.all(rest.map((decision) => engine.client.workflow.getHandle(decision.opKey.replace(/:1$/, '')).executeUpdate('decide', { args: [decision] })));
  expect(await handle.result()).toMatchObject({ done: 4, classes: { committed: 4 } });
});

test('cancelled, it cancels its children and waits until they have closed their keys', async () => {
  const handle = await startBatch(engine.client, { batchId: 'stop', input: { ...one, window: 2, approval: { mode: 'manual' } } }, engine.start);
  await Promise.all([held(engine, idOf('stop', 'none')), held(engine, idOf('stop', 'epoch'))]);
  await handle.cancel();
  await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
  for (const guard of ['none', 'epoch']) {
    expect((await episodeRow(engine, idOf('stop', guard))).outcome).toMatchObject({ class: 'cancelled' });
    expect(await ledgerOf(engine, idOf('stop', guard))).toEqual({ closed: 1 });
  }
  await expect(episodeRow(engine, idOf('stop', 'version'))).rejects.toThrow(/No episode/);
});

test('a child that fails, is terminated, or exists already frees its slot; a second run of the batch finds the committed row', async () => {
  failing.add(idOf('bad', 'none'));
  await startEpisode(engine.client, { episodeId: idOf('bad', 'epoch'), input: { model: 'always-act', approval: { mode: 'manual' }, guard: { kind: 'epoch' } } }, engine.start);
  const elsewhere = await held(engine, idOf('bad', 'epoch'));
  const input: BatchInputGiven = { ...one, window: 1, batchId: 'bad' };
  expect(await run('bad', input)).toMatchObject({ planned: 4, done: 2, failed: 1, skipped: 1, classes: { committed: 2 } });
  expect(await ledgerOf(engine, idOf('bad', 'none'))).toEqual({ committed: 1 }); // it failed in the step after its commit
  await engine.client.workflow.getHandle(idOf('bad', 'epoch')).executeUpdate('decide', { args: [elsewhere] });
  await engine.client.workflow.getHandle(idOf('bad', 'epoch')).result();
  expect(await run('bad-again', input)).toMatchObject({ planned: 4, done: 4, failed: 0, classes: { committed: 1 } });
  expect(await ledgerOf(engine, idOf('bad', 'none'))).toEqual({ committed: 1 });
  const { searchAttributes } = await engine.client.workflow.getHandle(idOf('bad', 'none')).describe() as { searchAttributes: Record<string, unknown> };
  expect(searchAttributes['holdpointOutcome']).toEqual(['already_committed']);
});

test('a workflow retry after the commit reports the first row', async () => {
  const handle = await engine.client.workflow.start('episode', {
    workflowId: 'retried', taskQueue: `${engine.settings.queuePrefix}-commit`, args: [{ model: 'always-act' }], retry: { maximumAttempts: 2, initialInterval: '10 ms' },
  });
  expect(await handle.result()).toMatchObject({ class: 'committed', ledgerId: expect.stringMatching(/^\d+$/) as unknown });
  expect(await ledgerOf(engine, 'retried')).toEqual({ committed: 1 });
  expect((await engine.client.workflow.getHandle('retried').describe()).runId).not.toBe(handle.firstExecutionRunId);
});
