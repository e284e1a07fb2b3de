/** People with tokens who speak to an engine's episodes the way a door does: heard by the database, then delivered as an update. */
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Decision } from '../../contract/approval.ts';
import { isReason, type Reason } from '../../contract/failures.ts';
import { hear, notTaken, type Said } from '../../database/decisions.ts';
import { createToken, tokenHash } from '../../database/tokens.ts';
import type { Accepted, episode } from '../../workflows/index.ts';
import type { Engine } from './temporal.ts';

/** What came of it. `by`: who decided what stands, as far as the refusal says. */
export type Answer = { readonly result: 'accepted'; readonly accepted: Accepted; readonly decisionId: number | null } | { readonly result: 'refused'; readonly reason: Reason | 'ended'; readonly message: string };

/** Somebody's voice at an engine. */
export type Voice = (episodeId: string, request: Pick<Decision, 'opKey' | 'digest'>, said: Pick<Said, 'kind'> & Partial<Said>) => Promise<Answer>;

/** A token for somebody, and the voice of its bearer. */
export async function voiceOf(engine: Engine, person: string): Promise<{ readonly say: Voice; readonly tokenId: string }> {
  const { token, row } = await createToken(engine.database.owner, { person, scopes: ['approve', 'reject', 'edit', 'comment', 'escalate'], ttlMs: 3_600_000 });
  const hash = tokenHash(token);
  const say: Voice = async (episodeId, { opKey, digest }, said) => {
    const heard = await hear(engine.database.pool, hash, { opKey, digest, via: 'cli', comment: '', ...said });
    if ('refused' in heard) return { result: 'refused', reason: heard.refused, message: `${heard.verdict ?? ''} by ${heard.by ?? ''}` };
    const { kind, to } = said;
    if (kind === 'comment') throw new TypeError('A comment goes no further.');
    const decision: Decision = { opKey, digest, verdict: kind, by: heard.person, comment: said.comment ?? '', decisionId: heard.decisionId, ...(to !== undefined && { to }) };
    const answer = await update(engine, episodeId, decision);
    if (answer.result === 'refused') await notTaken(engine.database.pool, heard.decisionId, answer.reason === 'ended' ? 'already_closed' : answer.reason);
    return answer;
  };
  return { say, tokenId: row.tokenId };
}

/** Sends a bare update. */
export async function update({ client }: Engine, episodeId: string, decision: Decision): Promise<Answer> {
  try {
    const accepted = await client.workflow.getHandle<typeof episode>(episodeId).executeUpdate<Accepted, [Decision, string?]>('decide', { args: [decision] });
    return { result: 'accepted', accepted, decisionId: decision.decisionId ?? null };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    const reason = cause instanceof ApplicationFailure && typeof cause.type === 'string' && isReason(cause.type) ? cause.type : 'ended';
    return { result: 'refused', reason, message: cause?.message ?? error.message };
  }
}
