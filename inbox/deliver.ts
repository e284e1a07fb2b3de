/** Brings one decision to its episode as the update `decide`, and tells a refusal, an end and a lost answer apart. */
import { isGrpcServiceError, ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Decision } from '../contract/approval.ts';
import { isReason, type Reason } from '../contract/failures.ts';
import type { Accepted, episode } from '../workflows/index.ts';

/** What the episode said. `unknown`: nobody answered in time, and it may still take the decision. */
export type Delivery = { readonly accepted: Accepted } | { readonly refused: Reason; readonly message: string } | { readonly unknown: string };

/**
 * `updateId`: a repeated one gets the first answer, whoever asked first, so where somebody is let in by the database it is one that nobody can know beforehand.
 * `call` names this delivery, so that the sender of a guessable one can tell whether the answer is to it. `timeoutMs`: how long to wait for the server.
 */
export type Parcel = { readonly decision: Decision; readonly updateId: string; readonly call?: string; readonly timeoutMs: number };

/** Cancelled, deadline exceeded, resource exhausted, precondition (the workflow has had as many updates as the server lets it), unavailable: not taken now, or taken without an answer. */
const unanswered: readonly number[] = [1, 4, 8, 9, 14];

/** Delivers. Throws only where something is broken. */
export async function deliver(client: Client, episodeId: string, { decision, updateId, call = '', timeoutMs }: Parcel): Promise<Delivery> {
  try {
    const accepted = await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.getHandle<typeof episode>(episodeId).executeUpdate<Accepted, [Decision, string?]>('decide', { args: [decision, call], updateId }));
    return { accepted };
  } catch (error) {
    return failed(error, episodeId);
  }
}

function failed(error: unknown, episodeId: string): Delivery {
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    if (cause instanceof ApplicationFailure && typeof cause.type === 'string' && isReason(cause.type)) return { refused: cause.type, message: cause.message };
    // The workflow closed while it had the update, or before it came to it (AcceptedUpdateCompletedWorkflow).
    return { refused: 'already_closed', message: 'The episode ended before it could take the decision.' };
  }
  if (error instanceof WorkflowNotFoundError) return { refused: 'already_closed', message: `No episode ${episodeId} is running: it has ended, or never was.` };
  const isUnanswered = error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || (error instanceof ServiceError && isGrpcServiceError(error.cause) && unanswered.includes(error.cause.code));
  if (isUnanswered) return { unknown: 'The server did not answer in time: the decision may still be taken.' };
  throw error;
}
