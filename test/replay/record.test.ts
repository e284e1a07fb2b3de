/**
 * Records the golden histories from real servers. Not part of a test run: `HOLDPOINT_RECORD=all npx vitest run test/replay/record.test.ts`, after a wanted change of
 * the workflows, or with the names of some, separated by commas: those that stay show that the histories of older engines replay.
 */
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { startBatch } from '../../cli/runtime/client.ts';
import { decide } from '../../cli/runtime/decide.ts';
import type { ProposerRequest } from '../../activities/index.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import type { Decision } from '../../contract/approval.ts';
import { decisionsOf } from '../../database/decisions.ts';
import { anonymous } from '../support/anonymous.ts';
import { voiceOf } from '../support/people.ts';
import { held, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const wanted = process.env['HOLDPOINT_RECORD'];

describe.runIf(wanted !== undefined)('recording', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await testEngine({ proposer: (request) => answer(request) });
  });
  afterAll(() => engine.close());

  test('every kind of workflow', async () => {
    await engine.run('episode-committed');
    await engine.run('episode-replanned', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' }, replans: 1 });
    await engine.run('episode-cut-at-commit', { caseId: 'change-delivery-address/0/timeout-after-commit', guard: { kind: 'none' } });
    await engine.run('episode-raced', { caseId: 'change-delivery-address/1/concurrent-mutation', replans: 0 });
    await engine.run('episode-leaked', { caseId: 'change-delivery-address/0/stale-read', guard: { kind: 'none' } });
    await engine.run('episode-abstained', { model: 'fake' });
    await engine.run('episode-evidence', { caseId: 'change-delivery-address/1/concurrent-mutation', returns: 'strongEvidence' });
    await engine.run('episode-expired', { approval: { mode: 'manual' }, windowMs: 300 });

    const approved = await startHeld(engine, 'episode-approved');
    await approved.handle.signal('decision', { ...approved.decision, by: 'mallory' });
    for (let asked = 0; asked < 100; asked += 1) await approved.handle.query('progress');
    await decide({ client: engine.client, db: engine.database.pool }, 'episode-approved', approved.decision);
    await approved.handle.result();

    const rejected = await startHeld(engine, 'episode-rejected');
    await rejected.handle.signal('decision', { ...rejected.decision, verdict: 'reject' } satisfies Decision);
    await rejected.handle.result();

    const cancelled = await startHeld(engine, 'episode-cancelled');
    await cancelled.handle.cancel();
    await cancelled.handle.result().catch(() => undefined);

    const batch = await startBatch(engine.client, {
      batchId: 'batch', input: { templates: ['change-delivery-address'], instances: [0, 1], conditions: ['clean'], models: ['always-act'], guards: [{ kind: 'none' }, { kind: 'predicate' }], window: 2, pageSize: 2 },
    }, engine.start);
    await batch.executeUpdate('pause').catch(() => undefined);
    await batch.signal('resume').catch(() => undefined);
    await batch.result();

    const maria = (await voiceOf(engine, 'maria.lindqvist')).say;
    const supervisor = (await voiceOf(engine, 'supervisor')).say;
    const edited = await startHeld(engine, 'episode-edited');
    await maria('episode-edited', edited.decision, { kind: 'escalate', to: 'maria.lindqvist' });
    await maria('episode-edited', edited.decision, { kind: 'edit', arguments: '{"orderId":"ord-48213","newAddress":"9 Edited Road"}' });
    await supervisor('episode-edited', await held(engine, 'episode-edited', 2), { kind: 'approve' });
    await edited.handle.result();

    const two = await startHeld(engine, 'episode-two-approvals', { model: 'two' });
    for (const say of [maria, supervisor]) await say('episode-two-approvals', two.decision, { kind: 'approve' });
    await two.handle.result();

    const reminded = await startHeld(engine, 'episode-reminded', { windowMs: 60_000, approval: { mode: 'manual', remindAfterMs: 300 } });
    await vi.waitFor(async () => { if ((await decisionsOf(engine.database.pool, { episodeId: 'episode-reminded' })).length === 0) throw new Error('Not yet.'); }, { timeout: 15_000 });
    await decide({ client: engine.client, db: engine.database.pool }, 'episode-reminded', reminded.decision);
    await reminded.handle.result();

    const ids = ['committed', 'replanned', 'cut-at-commit', 'raced', 'abstained', 'evidence', 'expired', 'leaked', 'approved', 'rejected', 'cancelled', 'edited', 'two-approvals', 'reminded'].map((name) => `episode-${name}`);
    for (const id of ids) await record(id, id);
    await record('batch-first-page', 'batch', batch.firstExecutionRunId);
    await record('batch-last-page', 'batch');
  }, 120_000);

  /** Two people must approve what the model `two` proposes; any other leaves it. */
  async function answer({ model, tool, observation }: ProposerRequest): Promise<Proposed> {
    const traced = { replyDigest: 'a'.repeat(64), asked: true, attempts: [] };
    if (model !== 'two') return { kind: 'abstain', reply: { decision: 'abstain' }, ...traced };
    await engine.database.owner.query('update holdpoint.policies set approvals_needed = 2 where world_id = $1', [observation.worldId]);
    return { kind: 'act', reply: { decision: 'act', tool, arguments: { orderId: 'ord-48213', newAddress: '27 Alder Court, Bristol BS6 5QA' } }, ...traced };
  }

  async function record(name: string, workflowId: string, runId?: string): Promise<void> {
    if (wanted !== 'all' && wanted?.split(',').includes(name) !== true) return;
    const history = await engine.client.workflow.getHandle(workflowId, runId).fetchHistory();
    await writeFile(new URL(`./histories/${name}.json`, import.meta.url), `${anonymous(historyToJSON(history))}\n`);
  }
});
