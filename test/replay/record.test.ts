/** Records the golden histories from real servers. Not part of a test run: `HOLDPOINT_RECORD=1 npx vitest run test/replay/record.test.ts`, after a wanted change of the workflows. */
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startBatch } from '../../cli/runtime/client.ts';
import { decide } from '../../cli/runtime/decide.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import type { Decision } from '../../contract/approval.ts';
import { startHeld, testEngine, type Engine } from '../support/temporal.ts';

describe.runIf(process.env['HOLDPOINT_RECORD'] !== undefined)('recording', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await testEngine({ proposer: () => Promise.resolve<Proposed>({ kind: 'abstain', reply: { decision: 'abstain' }, replyDigest: 'a'.repeat(64), asked: true, attempts: [] }) });
  });
  afterAll(() => engine.close());

  test('every kind of workflow', async () => {
    await engine.run('episode-committed');
    await engine.run('episode-replanned', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' }, replans: 1 });
    await engine.run('episode-cut-at-commit', { caseId: 'change-delivery-address/0/timeout-after-commit', guard: { kind: 'none' } });
    await engine.run('episode-raced', { caseId: 'change-delivery-address/1/concurrent-mutation', replans: 0 });
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

    const ids = ['committed', 'replanned', 'cut-at-commit', 'raced', 'abstained', 'evidence', 'expired', 'approved', 'rejected', 'cancelled'].map((name) => `episode-${name}`);
    for (const id of ids) await record(id, id);
    await record('batch-first-page', 'batch', batch.firstExecutionRunId);
    await record('batch-last-page', 'batch');
  }, 120_000);

  async function record(name: string, workflowId: string, runId?: string): Promise<void> {
    const history = await engine.client.workflow.getHandle(workflowId, runId).fetchHistory();
    await writeFile(new URL(`./histories/${name}.json`, import.meta.url), `${anonymous(historyToJSON(history))}\n`);
  }
});

/** Takes the machine's name and paths out: replay needs neither. */
function anonymous(json: string): string {
  const identities = new Set([...json.matchAll(/"identity": "([^"]+)"/g)].map((match) => match[1] ?? ''));
  let text = json.replaceAll(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
  for (const identity of identities) text = text.replaceAll(identity, 'holdpoint');
  return JSON.stringify(JSON.parse(text.replaceAll(process.cwd(), '')));
}
