/** One scene a kind of history: what is played so that the server records it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import { decisionsOf } from '../../database/decisions.ts';
import { UserError } from '../output.ts';
import { decide } from '../runtime/decide.ts';
import { startBatch } from '../runtime/client.ts';
import type { Stage } from './stage.ts';

/** `play` ends when the history is whole. The run is the workflow's last one, or the one whose id `play` returns. */
type Scene = { readonly play: (stage: Stage, id: string) => Promise<string | undefined> };

const runs = (input: EpisodeInputGiven): Scene['play'] => async (stage, id) => {
  await (await stage.start(id, input)).result();
  return undefined;
};

/** An episode that waits for a person, and what happens then. It may end as cancelled. */
const holds = (input: EpisodeInputGiven, then: (stage: Stage, id: string) => Promise<void>): Scene['play'] => async (stage, id) => {
  const handle = await stage.start(id, { approval: { mode: 'manual' }, ...input });
  await then(stage, id);
  await handle.result().catch((error: unknown) => { if (!id.endsWith('cancelled')) throw error; });
  return undefined;
};

const approve = async (stage: Stage, id: string): Promise<void> => {
  await decide({ client: stage.client, db: stage.db }, id, await stage.held(id));
};

const aBatch = (page: 'first' | 'last'): Scene['play'] => async ({ client, starting }, batchId) => {
  const input = { templates: ['change-delivery-address'], instances: [0, 1], conditions: ['clean' as const], models: ['always-act'], guards: [{ kind: 'none' as const }, { kind: 'predicate' as const }], window: 2, pageSize: 2 };
  const batch = await startBatch(client, { batchId, input }, starting);
  await batch.executeUpdate('pause').catch(() => undefined);
  await batch.signal('resume').catch(() => undefined);
  await batch.result();
  return page === 'first' ? batch.firstExecutionRunId : undefined;
};

const scenes: Readonly<Record<string, Scene['play']>> = {
  'batch-first-page': aBatch('first'),
  'batch-last-page': aBatch('last'),
  'episode-committed': runs({}),
  'episode-leaked': runs({ caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'none' } }),
  'episode-replanned': runs({ caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' }, replans: 1 }),
  'episode-cut-at-commit': runs({ caseId: 'change-delivery-address/0/timeout-after-commit', guard: { kind: 'none' } }),
  'episode-raced': runs({ caseId: 'change-delivery-address/1/concurrent-mutation', replans: 0 }),
  'episode-abstained': runs({ model: 'always-abstain' }),
  'episode-evidence': runs({ caseId: 'change-delivery-address/1/concurrent-mutation', returns: 'strongEvidence' }),
  'episode-expired': runs({ approval: { mode: 'manual' }, windowMs: 300 }),
  'episode-approved': holds({}, async (stage, id) => {
    await stage.client.workflow.getHandle(id).signal('decision', { ...await stage.held(id), by: 'mallory' });
    await approve(stage, id);
  }),
  'episode-rejected': holds({}, async (stage, id) => { await stage.client.workflow.getHandle(id).signal('decision', { ...await stage.held(id), verdict: 'reject' }); }),
  'episode-cancelled': holds({}, async (stage, id) => {
    await stage.held(id);
    await stage.client.workflow.getHandle(id).cancel();
  }),
  'episode-edited': holds({}, async (stage, id) => {
    const waits = await stage.held(id);
    await stage.say('maria.lindqvist', waits, { kind: 'escalate', to: 'maria.lindqvist' });
    await stage.say('maria.lindqvist', waits, { kind: 'edit', arguments: { orderId: 'ord-48213', newAddress: '9 Edited Road' } });
    await stage.say('supervisor', await stage.held(id, 2), { kind: 'approve' });
  }),
  'episode-two-approvals': holds({ model: 'two-approvals' }, async (stage, id) => {
    const waits = await stage.held(id);
    for (const person of ['maria.lindqvist', 'supervisor']) await stage.say(person, waits, { kind: 'approve' });
  }),
  'episode-reminded': holds({ windowMs: 60_000, approval: { mode: 'manual', remindAfterMs: 300 } }, async (stage, id) => {
    for (let tries = 0; (await decisionsOf(stage.db, { episodeId: id })).length === 0; tries += 1) {
      if (tries === 300) throw new UserError(`${id} was not reminded of within half a minute.`);
      await sleep(100, undefined, { signal: stage.signal });
    }
    await approve(stage, id);
  }),
};

/** The kinds that can be recorded. */
export const sceneNames: readonly string[] = Object.keys(scenes);

/** Plays one. @returns the run that was recorded where it is not the last one */
export async function playScene(stage: Stage, name: string): Promise<string | undefined> {
  return scenes[name]?.(stage, name);
}
