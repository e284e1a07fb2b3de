/** One run of either kind, from the start to the result, with the approval given as an update the moment something waits for it. */
import { WorkflowUpdateFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Decision } from '../../contract/approval.ts';
import { UserError } from '../output.ts';
import { startEpisode } from '../runtime/client.ts';

/** Sees, in the worker's own process, when a workflow's proposal is there: what a person learns from the list of approvals. */
export type Proposals = { readonly interceptor: ActivityInterceptorsFactory; of(workflowId: string): Promise<unknown> };

/** Watches the activities called `propose`. */
export function watchProposals(): Proposals {
  const seen = new Map<string, PromiseWithResolvers>();
  const slot = (workflowId: string): PromiseWithResolvers => {
    const made = seen.get(workflowId) ?? withResolvers();
    seen.set(workflowId, made);
    return made;
  };
  return {
    interceptor: ({ info }) => info.activityType !== 'propose' ? {} : {
      inbound: {
        execute: async (input, next) => {
          const result = await next(input);
          slot(info.workflowExecution?.workflowId ?? '').resolve(result);
          return result;
        },
      },
    },
    of: async (workflowId) => {
      const result = await slot(workflowId).promise;
      seen.delete(workflowId);
      return result;
    },
  };
}

type PromiseWithResolvers = { readonly promise: Promise<unknown>; readonly resolve: (value: unknown) => void };

function withResolvers(): PromiseWithResolvers {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((take) => { resolve = take; });
  return { promise, resolve };
}

/** What both kinds need. `refused` counts updates that came before the workflow had begun to wait. */
export type Bench = { readonly client: Client; readonly queuePrefix: string; readonly bareQueue: string; readonly proposals: Proposals; refused: number };

/** Runs one episode with the canned model, as the engine alone: the judge, which is the experiments' instrument, is off. @returns milliseconds from start to result */
export function runEpisode(bench: Bench, episodeId: string): Promise<number> {
  return run(bench, episodeId, false);
}

/** The same with the judge scoring the episode before it ends. */
export function runScored(bench: Bench, episodeId: string): Promise<number> {
  return run(bench, episodeId, true);
}

async function run(bench: Bench, episodeId: string, score: boolean): Promise<number> {
  const fromMs = performance.now();
  const input = { batchId: 'bench', model: 'always-act', approval: { mode: 'manual' as const }, windowMs: 3_600_000, score };
  const handle = await startEpisode(bench.client, { episodeId, input }, { queuePrefix: bench.queuePrefix, eager: true });
  const { opKey, digest } = (await bench.proposals.of(episodeId)) as { opKey: string; digest: string };
  const decision: Decision = { opKey, digest, verdict: 'approve', by: 'supervisor', comment: '' };
  await update(bench, handle, decision);
  const outcome = await handle.result();
  if (outcome.class !== 'committed') throw new UserError(`The episode ${episodeId} of the bench ended as ${outcome.class} (${outcome.reason ?? 'no reason'}).`);
  return performance.now() - fromMs;
}

/** Runs one bare workflow. @returns milliseconds from start to result */
export async function runBare(bench: Bench, workflowId: string): Promise<number> {
  const fromMs = performance.now();
  const handle = await bench.client.workflow.start('bare', { workflowId, taskQueue: bench.bareQueue, args: [], requestEagerStart: true });
  await bench.proposals.of(workflowId);
  await update(bench, handle, 'approve');
  await handle.result();
  return performance.now() - fromMs;
}

/** Sends the update, again where it was refused because the workflow task that begins to wait had not run yet. */
async function update(bench: Bench, handle: WorkflowHandle, argument: unknown): Promise<void> {
  for (;;) {
    try {
      await handle.executeUpdate('decide', { args: [argument] });
      return;
    } catch (error) {
      const early = error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure && error.cause.type === 'unknown_or_closed_request';
      if (!early) throw error;
      bench.refused += 1;
    }
  }
}
