/** Says what somebody at the inbox says: heard by the database, then brought to the episode. */
import type { Client } from '@temporalio/client';
import type { Decision } from '../../contract/approval.ts';
import { failures, type Reason } from '../../contract/failures.ts';
import { hear, notTaken, type Said } from '../../database/decisions.ts';
import type { Pool } from '../../database/pool.ts';
import type { SayResult } from '../../inbox/server.ts';
import { sendDecision } from '../runtime/decide.ts';

const done: Readonly<Record<Said['kind'], string>> = { approve: 'Approved', reject: 'Rejected', edit: 'Edited', comment: 'Comment kept', escalate: 'Handed on' };

/** Expected refusals are values. Saying the same again after `unknown` finishes what was begun. */
export async function say({ client, pool, timeoutMs = 10_000 }: { readonly client: Client; readonly pool: Pool; readonly timeoutMs?: number }, tokenHash: string, said: Said): Promise<SayResult> {
  const heard = await hear(pool, tokenHash, said);
  const { person } = heard;
  if ('refused' in heard) {
    const recorded = heard.verdict === null ? null : { verdict: heard.verdict, by: heard.by ?? '' };
    return { result: 'refused', reason: heard.refused, message: failures[heard.refused].sentence, person, recorded };
  }
  const { kind, opKey, digest, comment, to } = said;
  const accepted = { result: 'accepted' as const, reason: null, message: `${done[kind]} by ${person}.`, person, recorded: { verdict: kind, by: person } };
  if (kind === 'comment' || heard.proof === null) return { ...accepted, recorded: null };
  const decision: Decision = { opKey, digest, verdict: kind, by: person, comment, decisionId: heard.decisionId, proof: heard.proof, ...(to !== undefined && { to }) };
  const sent = await sendDecision(client, { episodeId: heard.episodeId, decision, call: `heard-${String(heard.decisionId)}`, timeoutMs });
  if (sent.result === 'refused') await notTaken(pool, heard.decisionId, sent.reason ?? ('malformed_decision' satisfies Reason));
  return sent.result === 'accepted' ? accepted : { ...sent, person };
}
