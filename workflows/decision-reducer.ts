/** The one place where a decision is accepted or refused: pure, so that updates, signals and the simulated approver cannot differ. */
import type { Admitted, Approval, Channel, Decision } from '../contract/approval.ts';
import type { Reason } from '../contract/failures.ts';
import { readDecision } from './read-decision.ts';

/** The request that waits for a decision. What is left out was not known to the engine that made it: one approval, and names without proof count. */
export type Request = {
  readonly opKey: string; readonly digest: string; readonly approvers: readonly string[]; readonly proposer: string;
  /** How many different people must approve. */
  readonly needed?: number;
  /** Whether a decision that proves nothing of its sender counts. */
  readonly unauthenticated?: boolean;
  /** Where it was handed on: a person, or `group:<name>`. */
  readonly assignedTo?: string | null;
};

/** What the episode knows: the current request, who approved it so far, its one decision, and whether the episode takes decisions at all any more. */
export type HoldState = {
  readonly request: Request | null; readonly approvals: readonly Pick<Decision, 'by' | 'decisionId'>[]; readonly decided: Approval | null; readonly closed: boolean;
};

/** Why a decision was refused: a reason of the registry and one sentence for the caller. */
export type Refusal = { readonly reason: Reason; readonly message: string };

/**
 * Exactly one of the three. An accepted decision comes with the state that records it; `state.decided` is still null where more is needed. `asks`: the decision says that
 * the database let it in, so the database is to be asked, and the decision judged again with its answer.
 */
export type Judgement = { readonly accepted: Decision; readonly state: HoldState } | { readonly refused: Refusal } | { readonly asks: Decision };

/** Before the first request. */
export const idle: HoldState = { request: null, approvals: [], decided: null, closed: false };

/**
 * Judges one decision. It must name the request by op key and digest and come from somebody who may decide and is not the proposer; the first one wins, or the
 * last of as many approvals as are needed. One with the database's id is believed as far as the database bears it out (`admitted`: its answer, null where it did not let
 * it in); without one the name must stand letter for letter on the list. A decision that was delivered before is accepted again and changes nothing. The commit checks
 * everything again, by the rights of its own moment.
 */
export function judge(state: HoldState, raw: unknown, { via, admitted }: { readonly via: Channel; readonly admitted?: Admitted | null }): Judgement {
  const decision = readDecision(raw);
  if (typeof decision === 'string') return refuse('malformed_decision', `The decision is not of the expected form: ${decision}.`);
  const { request, decided } = state;
  if (state.closed) return refuse('already_closed', 'The episode has ended: nothing waits for a decision any more.');
  if (request === null || request.opKey !== decision.opKey)
    return refuse('unknown_or_closed_request', request === null ? 'Nothing waits for a decision now.' : `The pending request is ${request.opKey}, not the one that was named.`);
  if (request.digest !== decision.digest) return refuse('stale_proposal', `The pending proposal has the digest ${request.digest}: look at it before deciding.`);
  if (decision.by === request.proposer || `person:${decision.by}` === request.proposer) return refuse('not_authorised', 'The proposer cannot decide about its own proposal.');
  const isHeard = decision.decisionId !== undefined && via === 'update';
  if (isHeard && admitted === undefined) return { asks: decision };
  if (isHeard && isKnown(state, decision)) return { accepted: decision, state };
  // What the database had let in is refused there as soon as something else stands: what stands is the reason that is told.
  const refusal = isHeard ? (decided === null ? whyNotHeard(decision, admitted) : null) : whyNotUnproved(request, decision, via);
  if (refusal !== null) return { refused: refusal };
  if (decided !== null) return refuse('already_decided', `Decided already: ${decided.verdict} by ${decided.by} (${decided.decisionIds === undefined ? decided.via : 'authenticated'}).`);
  return { accepted: decision, state: after(state, decision, { via, admitted: admitted ?? null }) };
}

/** Delivered before: a lost answer is asked for again. Only what the database let in can be known again. */
function isKnown({ decided }: HoldState, { decisionId }: Decision): boolean {
  return decisionId !== undefined && decided?.decisionIds?.includes(decisionId) === true;
}

function whyNotHeard({ verdict, decisionId, to }: Decision, admitted: Admitted | null | undefined): Refusal | null {
  if (admitted === null || admitted === undefined) return { reason: 'not_authenticated', message: 'The database let no such decision in.' };
  if (verdict === 'approve' && !admitted.approvals.some((approval) => approval.decisionId === decisionId)) return { reason: 'not_authorised', message: 'The right to approve this was withdrawn, or is used by a later approval.' };
  return verdict === 'escalate' && to === undefined ? { reason: 'malformed_decision', message: 'To whom is it handed on?' } : null;
}

function whyNotUnproved(request: Request, { verdict, by, decisionId }: Decision, via: Channel): Refusal | null {
  const unproved = (message: string): Refusal => ({ reason: 'not_authenticated', message });
  const { approvers, needed = 1, unauthenticated = true, assignedTo = null } = request;
  if (decisionId !== undefined || verdict === 'edit' || verdict === 'escalate') return unproved('Only who is authenticated can do this: use the inbox or a token.');
  if (via !== 'auto' && !unauthenticated) return unproved('The policy of this tool takes decisions from authenticated people only: use the inbox or a token.');
  if (needed > 1 && via !== 'auto') return unproved(`${String(needed)} people must approve this, and nothing proves who this is: use the inbox or a token.`);
  const isName = approvers.includes(by) && !by.startsWith('group:') && (via === 'auto' || by !== 'auto');
  if (!isName || needed > 1) return { reason: 'not_authorised', message: 'This name is not, letter for letter, on the list of approvers of the tool.' };
  return assignedTo === null || assignedTo === by ? null : { reason: 'handed_on', message: `The request was handed on to ${assignedTo}.` };
}

function after(state: HoldState, decision: Decision, { via, admitted }: { readonly via: Channel; readonly admitted: Admitted | null }): HoldState {
  const { opKey, digest, verdict, by, decisionId, to = null } = decision;
  const comment = admitted?.comment ?? decision.comment; // whoever brings a decision brings no words of their own
  if (verdict === 'escalate') return { ...state, request: state.request && { ...state.request, assignedTo: to } };
  const decided: Approval = { opKey, digest, verdict, by, via, comment, ...(decisionId !== undefined && { decisionIds: [decisionId] }) };
  if (verdict !== 'approve') return { ...state, decided };
  if (admitted === null) return { ...state, approvals: [{ by }], decided };
  // How many are needed, and whose approvals stand, is the database's to say at every one of them: policies and rights change while a request waits.
  const { needed, approvals } = admitted;
  const counted: HoldState = { ...state, approvals, request: state.request && { ...state.request, needed } };
  return approvals.length < needed ? counted : { ...counted, decided: { ...decided, decisionIds: approvals.map((approval) => approval.decisionId) } };
}

function refuse(reason: Reason, message: string): Judgement {
  return { refused: { reason, message } };
}
