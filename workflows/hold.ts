/** The hold point: waits for one decision about one proposal, from an update, a signal, or the simulated approver. */
import { ApplicationFailure, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RefusedDecision } from '../activities/types.ts';
import type { Approval, Decision } from '../contract/approval.ts';
import type { ApprovalPlan } from '../contract/episode-input.ts';
import { idle, judge, type HoldState, type Judgement, type Request } from './decision-reducer.ts';
import { decideUpdate, decisionSignal, type Accepted } from './messages.ts';

/** Refused signals that are kept for the record; a flood beyond them costs no history and no memory. */
const mostRefusals = 200;

/** How long a request waits, in milliseconds, and who reminds people of it. */
export type Waiting = { readonly windowMs: number; readonly remind: () => Promise<void> };

/** The hold of one episode. */
export type Hold = {
  /** Asks for a decision; the request before it is answered no more. `show` is called now and whenever something was said that did not end it. */
  open(request: Request, show?: (state: HoldState) => void): void;
  /** Between two requests nothing can be decided. */
  suspend(): void;
  /** From now on every decision is refused as `already_closed`. */
  close(): void;
  /** The decision, or `expired` after the window. Conditions with timers, never a loop: waiting costs no history. */
  wait(approval: ApprovalPlan, waiting: Waiting): Promise<Approval | 'expired' | 'not_authorised'>;
  state(): HoldState;
  refusals(): readonly RefusedDecision[];
};

/** Installs the handlers: call it before anything is awaited, because a decision can come with the first task. */
export function createHold(): Hold {
  let state: HoldState = idle;
  let show: ((state: HoldState) => void) | undefined;
  const refused: RefusedDecision[] = [];

  const take = (judgement: Judgement): Judgement => {
    if ('accepted' in judgement) {
      state = judgement.state;
      if (state.decided === null) show?.(state);
    }
    return judgement;
  };
  setHandler(decideUpdate, (raw: Decision, call?: string): Accepted => {
    const { opKey, digest, verdict, by } = acceptedOf(take(judge(state, raw, 'update'))); // the first statement records: nothing can come between
    const needed = state.request?.needed;
    return { opKey, digest, verdict, by, call: call ?? '', ...(needed !== undefined && { approvals: state.approvals.length, needed }) };
  }, {
    description: 'Approve or reject the pending proposal: {"opKey", "digest", "verdict": "approve" or "reject", "by", "comment"}',
    validator: (...[decision]: [Decision, string?]) => { acceptedOf(judge(state, decision, 'update')); },
  });
  setHandler(decisionSignal, (decision) => {
    const judgement = take(judge(state, decision, 'signal'));
    if ('refused' in judgement && refused.length < mostRefusals)
      refused.push({ ...asSaid(decision), id: `${workflowInfo().runId}/${String(refused.length + 1)}`, via: 'signal', reason: judgement.refused.reason });
  }, { description: 'The same as the update decide, without an answer; refusals are recorded.' });

  return {
    open: (request, shown) => {
      state = { ...state, request, approvals: [], decided: null };
      show = shown;
      show?.(state);
    },
    suspend: () => { state = { ...state, request: null, approvals: [], decided: null }; },
    close: () => { state = { ...state, closed: true }; },
    wait: async (approval, { windowMs, remind }) => {
      const decided = (): boolean => state.decided !== null;
      if (approval.mode === 'manual') await waitForPeople(decided, { windowMs, remind, remindAfterMs: approval.remindAfterMs ?? 0 });
      else if (approval.delayMs > 0) await condition(decided, Math.min(approval.delayMs, windowMs));
      if (state.decided === null && approval.mode === 'auto' && approval.delayMs <= windowMs) return simulate(approval);
      return state.decided ?? 'expired';
    },
    state: () => state,
    refusals: () => refused,
  };

  function simulate(approval: ApprovalPlan): Approval | 'not_authorised' {
    const { opKey, digest } = state.request ?? { opKey: '', digest: '' };
    const judgement = take(judge(state, { opKey, digest, verdict: approval.rule, by: approval.approver } satisfies Omit<Decision, 'comment'>, 'auto'));
    return ('accepted' in judgement ? judgement.state.decided : null) ?? 'not_authorised';
  }
}

/** Waits for the window; a reminder in between takes nothing of it. An episode that knows of no reminder has one timer, as its history says. */
async function waitForPeople(decided: () => boolean, { windowMs, remindAfterMs, remind }: Waiting & { readonly remindAfterMs: number }): Promise<void> {
  const untilMs = Date.now() + windowMs;
  if ((await condition(decided, remindAfterMs > 0 ? remindAfterMs : windowMs)) || remindAfterMs <= 0) return;
  await remind();
  await condition(decided, Math.max(1, untilMs - Date.now()));
}

function acceptedOf(judgement: Judgement): Decision {
  if ('accepted' in judgement) return judgement.accepted;
  throw ApplicationFailure.nonRetryable(judgement.refused.message, judgement.refused.reason);
}

/** What an unusable decision said, as far as it can be kept: the parts are untrusted and cut to a bounded length. */
function asSaid(decision: unknown): Pick<RefusedDecision, 'opKey' | 'digest' | 'verdict' | 'by'> {
  const said = (typeof decision === 'object' && decision !== null ? decision : {}) as Record<string, unknown>;
  const text = (key: string): string => (typeof said[key] === 'string' ? said[key].slice(0, 300) : '');
  return { opKey: text('opKey'), digest: text('digest'), verdict: text('verdict'), by: text('by') };
}
