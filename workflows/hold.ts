/** The hold point: waits for one decision about one proposal, from an update, a signal, or the simulated approver. */
import { ApplicationFailure, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RefusedDecision } from '../activities/types.ts';
import type { Approval, Channel, Decision } from '../contract/approval.ts';
import type { ApprovalPlan } from '../contract/episode-input.ts';
import { idle, judge, type HoldState, type Request } from './decision-reducer.ts';
import { decideUpdate, decisionSignal, type Accepted } from './messages.ts';

/** Refused signals that are kept for the record; a flood beyond them costs no history and no memory. */
const mostRefusals = 200;

/** The hold of one episode. */
export type Hold = {
  /** Asks for a decision; the request before it is answered no more. */
  open(request: Request): void;
  /** Between two requests nothing can be decided. */
  suspend(): void;
  /** From now on every decision is refused as `already_closed`. */
  close(): void;
  /** The decision, or `expired` after the window. One condition, one timer: waiting costs no history. */
  wait(approval: ApprovalPlan, windowMs: number): Promise<Approval | 'expired' | 'not_authorised'>;
  state(): HoldState;
  refusals(): readonly RefusedDecision[];
};

/** Installs the handlers: call it before anything is awaited, because a decision can come with the first task. */
export function createHold(): Hold {
  let state: HoldState = idle;
  const refused: RefusedDecision[] = [];

  const decide = (raw: unknown, via: Channel): Approval => {
    const judgement = judge(state, raw, via); // the first statement records: nothing can come between
    if ('accepted' in judgement) {
      state = judgement.state;
      return judgement.accepted;
    }
    throw ApplicationFailure.nonRetryable(judgement.refused.message, judgement.refused.reason);
  };
  setHandler(decideUpdate, (decision: Decision, call?: string): Accepted => {
    const { opKey, digest, by } = decide(decision, 'update');
    return { opKey, digest, verdict: decision.verdict, by, call: call ?? '' };
  }, {
    description: 'Approve or reject the pending proposal: {"opKey", "digest", "verdict": "approve" or "reject", "by", "comment"}',
    validator: (...[decision]: [Decision, string?]) => {
      const judgement = judge(state, decision, 'update');
      if ('refused' in judgement) throw ApplicationFailure.nonRetryable(judgement.refused.message, judgement.refused.reason);
    },
  });
  setHandler(decisionSignal, (decision) => {
    const judgement = judge(state, decision, 'signal');
    if ('accepted' in judgement) state = judgement.state;
    else if (refused.length < mostRefusals) refused.push({ ...asSaid(decision), id: `${workflowInfo().runId}/${String(refused.length + 1)}`, via: 'signal', reason: judgement.refused.reason });
  }, { description: 'The same as the update decide, without an answer; refusals are recorded.' });

  return {
    open: (request) => { state = { ...state, request, decided: null }; },
    suspend: () => { state = { ...state, request: null, decided: null }; },
    close: () => { state = { ...state, closed: true }; },
    wait: async (approval, windowMs) => {
      const decided = (): boolean => state.decided !== null;
      if (approval.mode === 'manual') await condition(decided, windowMs);
      else if (approval.delayMs > 0) await condition(decided, Math.min(approval.delayMs, windowMs));
      if (state.decided === null && approval.mode === 'auto' && approval.delayMs <= windowMs) return simulate(approval);
      return state.decided ?? 'expired';
    },
    state: () => state,
    refusals: () => refused,
  };

  function simulate(approval: ApprovalPlan): Approval | 'not_authorised' {
    const { opKey, digest } = state.request ?? { opKey: '', digest: '' };
    const judgement = judge(state, { opKey, digest, verdict: approval.rule, by: approval.approver } satisfies Omit<Decision, 'comment'>, 'auto');
    if ('refused' in judgement) return 'not_authorised';
    state = judgement.state;
    return judgement.accepted;
  }
}

/** What an unusable decision said, as far as it can be kept: the parts are untrusted and cut to a bounded length. */
function asSaid(decision: unknown): Pick<RefusedDecision, 'opKey' | 'digest' | 'verdict' | 'by'> {
  const said = (typeof decision === 'object' && decision !== null ? decision : {}) as Record<string, unknown>;
  const text = (key: string): string => (typeof said[key] === 'string' ? said[key].slice(0, 300) : '');
  return { opKey: text('opKey'), digest: text('digest'), verdict: text('verdict'), by: text('by') };
}
