/** Sends a person's decision and tells what stands, also where the answer was lost, the episode has closed, or somebody was faster. */
import { randomUUID } from 'node:crypto';
import { isGrpcServiceError, ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Decision } from '../../contract/approval.ts';
import { digestOf } from '../../contract/digest.ts';
import { isReason, type Reason } from '../../contract/failures.ts';
import { insertRefusals, requestOf } from '../../database/approvals.ts';
import type { Queryable } from '../../database/pool.ts';
import type { Accepted, episode, EpisodeProgress } from '../../workflows/index.ts';

/** What became of a decision. `recorded` is the one that stands, as far as it is known. `unknown`: the server did not answer in time, ask again. */
export type DecisionResult = {
  readonly result: 'accepted' | 'refused' | 'unknown';
  readonly reason: Reason | null;
  readonly message: string;
  readonly recorded: { readonly verdict: string; readonly by: string } | null;
};

/** What is needed to decide. `timeoutMs`: how long to wait for the server's answer; default 10,000. */
export type DecideContext = { readonly client: Client; readonly db: Queryable; readonly timeoutMs?: number };

/** The update's id: the same approver, proposal and verdict are the same decision, so that a lost answer can be asked for again without deciding twice. */
export function updateIdOf(decision: Decision): string {
  return digestOf([decision.by, decision.digest, decision.verdict]).slice(0, 40);
}

/** Decides. A refusal is written down, because the validator that refused can write nothing. Throws only where something is broken. */
export async function decide({ client, db, timeoutMs = 10_000 }: DecideContext, episodeId: string, decision: Decision): Promise<DecisionResult> {
  const call = randomUUID();
  const result = await sendDecision(client, { episodeId, decision, call, timeoutMs });
  const recorded = result.recorded ?? (await recordedDecision({ client, db }, episodeId, decision.opKey));
  if (result.result === 'refused') {
    const { opKey, digest, verdict, by } = decision;
    await insertRefusals(db, [{ id: call, opKey, digest, verdict, by, via: 'update', reason: result.reason ?? 'malformed_decision' }]);
  }
  return { ...result, recorded };
}

type Sending = { readonly episodeId: string; readonly decision: Decision; readonly call: string; readonly timeoutMs: number };

/** Sends it and tells what became of it; writes nothing down. */
export async function sendDecision(client: Client, { episodeId, decision, call, timeoutMs }: Sending): Promise<DecisionResult> {
  try {
    const accepted = await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.getHandle<typeof episode>(episodeId).executeUpdate<Accepted, [Decision, string?]>('decide', { args: [decision, call], updateId: updateIdOf(decision) }));
    const recorded = { verdict: accepted.verdict, by: accepted.by };
    if (accepted.call === call) return { result: 'accepted', reason: null, message: `${accepted.verdict === 'approve' ? 'Approved' : 'Rejected'} by ${accepted.by}.`, recorded };
    return { result: 'refused', reason: 'already_decided', message: `Decided already: ${accepted.verdict} by ${accepted.by}.`, recorded };
  } catch (error) {
    return failed(error, episodeId);
  }
}

function failed(error: unknown, episodeId: string): DecisionResult {
  const refused = (reason: Reason, message: string): DecisionResult => ({ result: 'refused', reason, message, recorded: null });
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    if (cause instanceof ApplicationFailure && typeof cause.type === 'string' && isReason(cause.type)) return refused(cause.type, cause.message);
    // The workflow closed while it had the update, or before it came to it (AcceptedUpdateCompletedWorkflow).
    return refused('already_closed', 'The episode ended before it could take the decision.');
  }
  if (error instanceof WorkflowNotFoundError) return refused('already_closed', `No episode ${episodeId} is running: it has ended, or never was.`);
  const isTimeout = error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || (error instanceof ServiceError && isGrpcServiceError(error.cause) && [1, 4, 14].includes(error.cause.code));
  if (isTimeout) return { result: 'unknown', reason: null, message: 'The server did not answer in time: the decision may still be taken. Ask again to see what was recorded.', recorded: null };
  throw error;
}

/** The decision that stands: by the database, or else by the running episode, which knows it a moment earlier. */
export async function recordedDecision({ client, db }: DecideContext, episodeId: string, opKey: string): Promise<{ verdict: string; by: string } | null> {
  const row = await requestOf(db, opKey);
  if (row !== undefined && row.verdict !== null) return { verdict: row.verdict, by: row.decidedBy ?? '' };
  try {
    const progress = await client.withDeadline(Date.now() + 2_000, () => client.workflow.getHandle<typeof episode>(episodeId).query<EpisodeProgress>('progress'));
    return progress.request?.opKey === opKey ? progress.decided : null;
  } catch {
    return null; // ended, or no worker is up: what the database says is all there is
  }
}
