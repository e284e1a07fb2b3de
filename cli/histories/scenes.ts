/** One scene a kind of history: what is played so that the server records it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import { decisionsOf } from '../../database/decisions.ts';
import { UserError } from '../output.ts';
import { startBatch } from '../runtime/client.ts';
import { forked, takenBack } from './scenes-of-commits.ts';
import type { Played, Scene, Stage } from './stage.ts';

const runs = (input: EpisodeInputGiven): Scene => async (stage, id) => {
  await (await stage.start(id, input)).result();
  return { workflowId: id };
};

/** An episode that waits for a person, and what happens then. It may end as cancelled. */
const holds = (input: EpisodeInputGiven, then: (stage: Stage, id: string) => Promise<void>): Scene => async (stage, id) => {
  const handle = await stage.start(id, { approval: { mode: 'manual' }, ...input });
  await then(stage, id);
  await handle.result().catch((error: unknown) => { if (!id.endsWith('cancelled')) throw error; });
  return { workflowId: id };
};


const aBatch = (page: 'first' | 'last'): Scene => async ({ client, starting }, batchId) => {
  const input = { templates: ['change-delivery-address'], instances: [0, 1], conditions: ['clean' as const], models: ['always-act'], guards: [{ kind: 'none' as const }, { kind: 'predicate' as const }], window: 2, pageSize: 2 };
  const batch = await startBatch(client, { batchId, input }, starting);
  await batch.executeUpdate('pause').catch(() => undefined);
  await batch.signal('resume').catch(() => undefined);
  await batch.result();
  return { workflowId: batchId, ...(page === 'first' && { runId: batch.firstExecutionRunId }) };
};

const scenes: Readonly<Record<string, Scene>> = {
  'batch-first-page': aBatch('first'),
  'batch-last-page': aBatch('last'),
  'episode-committed': runs({}),
  'episode-leaked': runs({ caseId: 'change-delivery-address/0/stale-read', guard: { kind: 'none' } }),
  'episode-replanned': runs({ caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' }, replans: 1 }),
  'episode-cut-at-commit': runs({ caseId: 'change-delivery-address/0/timeout-after-commit', guard: { kind: 'none' } }),
  'episode-raced': runs({ caseId: 'change-delivery-address/1/concurrent-mutation', replans: 0 }),
  'episode-abstained': runs({ model: 'always-abstain' }),
  'episode-evidence': runs({ caseId: 'change-delivery-address/1/concurrent-mutation', returns: 'strongEvidence' }),
  'episode-expired': runs({ approval: { mode: 'manual' }, windowMs: 300 }),
  'episode-approved': holds({}, async (stage, id) => {
    const handle = stage.client.workflow.getHandle(id);
    await handle.signal('decision', { ...await stage.held(id), by: 'mallory' });
    // Questions leave no trace in a history.
    for (let asked = 0; asked < 100; asked += 1) await handle.query('progress');
    await stage.approve(id);
  }),
  'episode-rejected': holds({}, async (stage, id) => { await stage.client.workflow.getHandle(id).signal('decision', { ...await stage.held(id), verdict: 'reject' }); }),
  'episode-cancelled': holds({}, async (stage, id) => {
    await stage.held(id);
    await stage.client.workflow.getHandle(id).cancel();
  }),
  'episode-edited': holds({}, async (stage, id) => {
    const waits = await stage.held(id);
    await stage.say('maria.lindqvist', waits, { kind: 'escalate', to: 'supervisor' });
    await stage.say('supervisor', waits, { kind: 'edit', arguments: { orderId: 'ord-48213', newAddress: '9 Edited Road' } });
    await stage.say('maria.lindqvist', await stage.held(id, 2), { kind: 'approve' });
  }),
  'episode-two-approvals': holds({ model: 'two-approvals' }, async (stage, id) => {
    const waits = await stage.held(id);
    for (const person of ['maria.lindqvist', 'supervisor']) await stage.say(person, waits, { kind: 'approve' });
  }),
  'episode-forked': forked,
  'rollback-committed': takenBack,
  'episode-reminded': holds({ windowMs: 60_000, approval: { mode: 'manual', remindAfterMs: 300 } }, async (stage, id) => {
    for (let tries = 0; (await decisionsOf(stage.db, { episodeId: id })).length === 0; tries += 1) {
      if (tries === 300) throw new UserError(`${id} was not reminded of within half a minute.`);
      await sleep(100, undefined, { signal: stage.signal });
    }
    await stage.approve(id);
  }),
};

/** The kinds that can be recorded. */
export const sceneNames: readonly string[] = Object.keys(scenes);

/** Plays one. */
export async function playScene(stage: Stage, name: string): Promise<Played> {
  const scene = scenes[name];
  if (scene === undefined) throw new UserError(`There is no scene "${name}".`, 2);
  return scene(stage, name);
}
