/** The one place where a decision is accepted or refused: pure, so that updates, signals and the simulated approver cannot differ. */
import type { Approval, Channel } from '../contract/approval.ts';
import type { Reason } from '../contract/failures.ts';
import { readDecision } from './read-decision.ts';

/** The request that waits for a decision. */
export type Request = { readonly opKey: string; readonly digest: string; readonly approvers: readonly string[]; readonly proposer: string };

/** What the episode knows: the current request, its one decision, and whether the episode takes decisions at all any more. */
export type HoldState = { readonly request: Request | null; readonly decided: Approval | null; readonly closed: boolean };

/** Why a decision was refused: a reason of the registry and one sentence for the caller. */
export type Refusal = { readonly reason: Reason; readonly message: string };

/** Exactly one of the two. An accepted decision comes with the state that records it. */
export type Judgement = { readonly accepted: Approval; readonly state: HoldState } | { readonly refused: Refusal };

/** Before the first request. */
export const idle: HoldState = { request: null, decided: null, closed: false };

/**
 * Judges one decision. It must name the request by op key and digest, and come letter for letter from somebody on the policy's list who is not the
 * proposer; the first one wins. The commit checks the approver again, against the policy of its own moment.
 */
export function judge(state: HoldState, raw: unknown, via: Channel): Judgement {
  const decision = readDecision(raw);
  if (typeof decision === 'string') return refuse('malformed_decision', `The decision is not of the expected form: ${decision}.`);
  const { request, decided } = state;
  if (state.closed) return refuse('already_closed', 'The episode has ended: nothing waits for a decision any more.');
  if (request === null || request.opKey !== decision.opKey)
    return refuse('unknown_or_closed_request', request === null ? 'Nothing waits for a decision now.' : `The pending request is ${request.opKey}, not the one that was named.`);
  if (request.digest !== decision.digest) return refuse('stale_proposal', `The pending proposal has the digest ${request.digest}: look at it before deciding.`);
  if (decision.by === request.proposer) return refuse('not_authorised', 'The proposer cannot decide about its own proposal.');
  if (!request.approvers.includes(decision.by)) return refuse('not_authorised', 'This name is not, letter for letter, on the list of approvers of the tool.');
  if (decided !== null) return refuse('already_decided', `Decided already: ${decided.verdict} by ${decided.by} (${decided.via}).`);
  const accepted: Approval = { opKey: decision.opKey, digest: decision.digest, verdict: decision.verdict, by: decision.by, via, comment: decision.comment };
  return { accepted, state: { ...state, decided: accepted } };
}

function refuse(reason: Reason, message: string): Judgement {
  return { refused: { reason, message } };
}
