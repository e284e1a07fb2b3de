/** Clients of the workflows: connecting, and starting episodes and batches under ids that are never used twice. */
import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import { Client, Connection, WorkflowExecutionAlreadyStartedError, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { BatchInput, type BatchInputGiven } from '../../contract/batch-input.ts';
import { EpisodeInput, type EpisodeInputGiven } from '../../contract/episode-input.ts';
import { guardLabel } from '../../contract/names.ts';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import type { batch, episode, rollback } from '../../workflows/index.ts';
import { UserError } from '../output.ts';
import { queueNames, type Settings } from './settings.ts';

/** A client and how to close its line. */
export type Connected = { readonly client: Client; close(): Promise<void> };

/** @throws UserError where no server answers */
export async function connect(settings: Settings): Promise<Connected> {
  const connection = await Connection.connect({ address: settings.temporalAddress, connectTimeout: 5_000 }).catch(() => {
    throw new UserError(`No Temporal server answers at ${settings.temporalAddress}: start it, or set TEMPORAL_ADDRESS.`);
  });
  return { client: new Client({ connection, namespace: settings.temporalNamespace }), close: () => connection.close() };
}

/** A client on a worker's own line: what it starts eagerly comes to that worker with the answer. */
export function clientOn(connection: NativeConnection, settings: Settings): Client {
  return new Client({ connection, namespace: settings.temporalNamespace });
}

/** How to start: `eager` needs a client on a worker's line. */
export type StartOptions = { readonly queuePrefix: string; readonly eager?: boolean };

/**
 * Starts an episode under an id that no episode has had. Search attributes go with the start: each upsert later costs a fifteenth of an episode.
 * @throws UserError for malformed input or a used id
 */
export async function startEpisode(client: Client, start: { episodeId: string; input: EpisodeInputGiven }, options: StartOptions): Promise<WorkflowHandleWithFirstExecutionRunId<typeof episode>> {
  const input = checked(EpisodeInput, start.input);
  const [template = '', , condition = ''] = input.caseId.split('/');
  return refusingUsedIds(start.episodeId, () => client.workflow.start<typeof episode>('episode', {
    workflowId: start.episodeId, taskQueue: queueNames(options.queuePrefix).commit, args: [input], workflowIdReusePolicy: 'REJECT_DUPLICATE', requestEagerStart: options.eager ?? false,
    typedSearchAttributes: [
      keyword('holdpointBatch', input.batchId), keyword('holdpointTemplate', template), keyword('holdpointGuard', guardLabel(input.guard)), keyword('holdpointCondition', condition),
    ],
    staticSummary: `${input.fork === undefined ? '' : `fork of ${input.fork.episodeId}: `}${input.caseId} by ${input.model}, guard ${guardLabel(input.guard)}`.slice(0, 300),
  }));
}

/** Starts a batch. An id whose batch has ended may be used again and then goes on where it was left. @throws UserError for malformed input or a batch that runs */
export async function startBatch(client: Client, start: { batchId: string; input: BatchInputGiven }, options: StartOptions): Promise<WorkflowHandleWithFirstExecutionRunId<typeof batch>> {
  const input = checked(BatchInput, start.input);
  return refusingUsedIds(start.batchId, () => client.workflow.start<typeof batch>('batch', {
    workflowId: start.batchId, taskQueue: queueNames(options.queuePrefix).commit, args: [input], workflowIdReusePolicy: 'ALLOW_DUPLICATE', requestEagerStart: options.eager ?? false,
    typedSearchAttributes: [keyword('holdpointBatch', input.batchId ?? start.batchId)],
    staticSummary: `${input.design}: ${input.models.join(', ')}`,
  }));
}

/** Starts the workflow that holds what was proposed under this id; one that runs already goes on. @returns whether this call started it */
export async function startRollback(client: Client, rollbackId: string, { queuePrefix }: StartOptions): Promise<boolean> {
  try {
    await client.workflow.start<typeof rollback>('rollback', { workflowId: rollbackId, taskQueue: queueNames(queuePrefix).commit, args: [], workflowIdReusePolicy: 'ALLOW_DUPLICATE', staticSummary: rollbackId });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

function keyword(name: SearchAttributeName, value: string): SearchAttributePair {
  return { key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value };
}

function checked<Output>(schema: { safeParse(value: unknown): { success: true; data: Output } | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } } }, given: unknown): Output {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError(`The input is malformed at "${issue?.path.map(String).join('.') ?? ''}": ${issue?.message ?? 'unreadable'}.`, 2);
}

async function refusingUsedIds<T>(id: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw new UserError(`The id ${id} is used already: look at it, or choose another.`);
    throw error;
  }
}
