/** An engine on servers of its own, and the people who speak on it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { ProposerRequest } from '../../activities/index.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import type { Decision } from '../../contract/approval.ts';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import type { Pool } from '../../database/pool.ts';
import { createToken } from '../../database/tokens.ts';
import { say, type Speech } from '../../inbox/decide.ts';
import type { episode, EpisodeProgress } from '../../workflows/index.ts';
import type { Lab } from '../endure/lab.ts';
import { UserError } from '../output.ts';
import { connect, startEpisode, type StartOptions } from '../runtime/client.ts';
import { decide } from '../runtime/decide.ts';
import { startWorkers } from '../runtime/worker.ts';

/** Which history a scene made: the workflow's last run, unless another is named. */
export type Played = { readonly workflowId: string; readonly runId?: string };

/** Ends when the history is whole. `name`: of the scene, unlike that of any other. */
export type Scene = (stage: Stage, name: string) => Promise<Played>;

export type Stage = {
  readonly client: Client; readonly db: Pool; readonly starting: StartOptions; readonly signal: AbortSignal;
  start(episodeId: string, input: EpisodeInputGiven): Promise<WorkflowHandleWithFirstExecutionRunId<typeof episode>>;
  /** The decision that approves what a step waits for, as soon as it waits. */
  held(episodeId: string, step?: number): Promise<Decision>;
  /** Approves what the first step waits for, without proof of who it is. */
  approve(episodeId: string): Promise<void>;
  /** Says something about a request with a token of that person's. */
  say(person: string, request: Decision, speech: Omit<Speech, 'opKey' | 'digest'>): Promise<void>;
};

/** Opens it, hands it out, and stops the workers again. */
export async function withStage<T>(lab: Lab, signal: AbortSignal, use: (stage: Stage) => Promise<T>): Promise<T> {
  const line = await connect(lab.settings);
  const { client } = line;
  const workers = await startWorkers({ settings: lab.settings, queues: ['commit', 'model'], proposer: (request) => answer(lab.owner, request), graceMs: 2_000 });
  const starting: StartOptions = { queuePrefix: lab.settings.queuePrefix };
  try {
    return await use({
      client, db: workers.pool, starting, signal,
      start: (episodeId, input) => startEpisode(client, { episodeId, input: { model: 'always-act', ...input } }, starting),
      held: (episodeId, step = 1) => heldDecision(client, { episodeId, step, signal }),
      approve: async (episodeId) => { await decide({ client, db: workers.pool }, episodeId, await heldDecision(client, { episodeId, step: 1, signal })); },
      say: async (person, { opKey, digest }, speech) => {
        const { token } = await createToken(lab.owner, { person, scopes: ['approve', 'reject', 'edit', 'comment', 'escalate'], ttlMs: 3_600_000 });
        const said = await say({ client, db: workers.pool, via: 'cli' }, token, { opKey, digest, ...speech });
        if (said.result !== 'accepted') throw new UserError(`${person} was not heard: ${said.message}`);
      },
    });
  } finally {
    await workers.stop();
    await line.close();
  }
}

async function heldDecision(client: Client, { episodeId, step, signal }: { episodeId: string; step: number; signal: AbortSignal }): Promise<Decision> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { phase, request } = await client.workflow.getHandle<typeof episode>(episodeId).query<EpisodeProgress>('progress');
    if (phase === 'held' && request?.opKey === `${episodeId}:${String(step)}`) return { opKey: request.opKey, digest: request.digest, verdict: 'approve', by: 'supervisor', comment: '' };
    await sleep(50, undefined, { signal });
  }
  throw new UserError(`${episodeId} did not wait for a decision within half a minute.`);
}

/** The one proposer that is asked: two people must approve what it proposes, as an owner of the policy can say. */
async function answer(owner: Pool, { tool, observation }: ProposerRequest): Promise<Proposed> {
  await owner.query('update holdpoint.policies set approvals_needed = 2 where world_id = $1', [observation.worldId]);
  return { kind: 'act', reply: { decision: 'act', tool, arguments: { orderId: 'ord-48213', newAddress: '27 Alder Court, Bristol BS6 5QA' } }, replyDigest: 'a'.repeat(64), asked: true, attempts: [] };
}
