/** The door without a token: sends a bare update in anybody's name and tells what stands. The policy says whether it counts, and it is recorded as unauthenticated. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Decision } from '../../contract/approval.ts';
import { digestOf } from '../../contract/digest.ts';
import { insertRefusals } from '../../database/approvals.ts';
import type { Queryable } from '../../database/pool.ts';
import type { Answer } from '../../inbox/decide.ts';
import { deliver } from '../../inbox/deliver.ts';
import { recordedDecision } from '../../inbox/recorded.ts';

/** What became of a decision. `recorded` is the one that stands, as far as it is known. `unknown`: the server did not answer in time, ask again. */
export type DecisionResult = Pick<Answer, 'result' | 'reason' | 'message' | 'recorded'>;

/** What is needed to decide. `timeoutMs`: how long to wait for the server's answer; default 10,000. */
export type DecideContext = { readonly client: Client; readonly db: Queryable; readonly timeoutMs?: number };

/** The update's id: the same approver, request, proposal and verdict are the same decision, so that a lost answer can be asked for again without deciding twice. */
export function updateIdOf(decision: Decision): string {
  return digestOf([decision.by, decision.opKey, decision.digest, decision.verdict]).slice(0, 40);
}

/** Decides. A refusal is written down, because the validator that refused can write nothing. Throws only where something is broken. */
export async function decide({ client, db, timeoutMs = 10_000 }: DecideContext, episodeId: string, decision: Decision): Promise<DecisionResult> {
  const call = randomUUID();
  const result = await send(client, episodeId, { decision, call, timeoutMs });
  const recorded = result.recorded ?? (await recordedDecision({ client, db }, episodeId, decision.opKey));
  if (result.result === 'refused') {
    const { opKey, digest, verdict, by } = decision;
    await insertRefusals(db, [{ id: call, opKey, digest, verdict, by, via: 'update', reason: result.reason ?? 'malformed_decision' }]);
  }
  return { ...result, recorded };
}

async function send(client: Client, episodeId: string, sending: { readonly decision: Decision; readonly call: string; readonly timeoutMs: number }): Promise<DecisionResult> {
  const delivery = await deliver(client, episodeId, { ...sending, updateId: updateIdOf(sending.decision) });
  if ('unknown' in delivery) return { result: 'unknown', reason: null, message: `${delivery.unknown} Ask again to see what was recorded.`, recorded: null };
  if ('refused' in delivery) return { result: 'refused', reason: delivery.refused, message: delivery.message, recorded: null };
  const { accepted } = delivery;
  const recorded = { verdict: accepted.verdict, by: accepted.by, at: null };
  if (accepted.call === sending.call) return { result: 'accepted', reason: null, message: `${accepted.verdict === 'approve' ? 'Approved' : 'Rejected'} by ${accepted.by}.`, recorded };
  return { result: 'refused', reason: 'already_decided', message: `Decided already: ${accepted.verdict} by ${accepted.by}.`, recorded };
}
