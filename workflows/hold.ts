/** The hold point: waits for one decision about one proposal, from an update, a signal, or the simulated approver. */
import { ApplicationFailure, CancellationScope, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RefusedDecision } from '../activities/types.ts';
import type { Approval, Decision } from '../contract/approval.ts';
import type { ApprovalPlan } from '../contract/episode-input.ts';
import { idle, judge, type HoldState, type Judgement, type Request } from './decision-reducer.ts';
import { decideUpdate, decisionSignal, type Accepted } from './messages.ts';
import { door } from './proxies.ts';

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
  const answer = (judgement: Judgement, call: string): Accepted => {
    const { opKey, digest, verdict, by } = acceptedOf(judgement);
    const needed = state.request?.needed;
    return { opKey, digest, verdict, by, call, ...(needed !== undefined && { approvals: state.approvals.length, needed }) };
  };
  setHandler(decideUpdate, (raw: Decision, call = ''): Accepted | Promise<Accepted> => {
    const judgement = take(judge(state, raw, { via: 'update' })); // the first statement records: nothing can come between
    return 'asks' in judgement ? heard(judgement.asks, call) : answer(judgement, call);
  }, {
    description: 'Approve or reject the pending proposal: {"opKey", "digest", "verdict": "approve" or "reject", "by", "comment"}',
    validator: (...[decision]: [Decision, string?]) => {
      const judgement = judge(state, decision, { via: 'update' });
      if ('refused' in judgement) acceptedOf(judgement);
    },
  });
  // What else was said while the database was asked is judged before this: the state is taken anew.
  const heard = async (decision: Decision, call: string): Promise<Accepted> => {
    const admitted = await CancellationScope.nonCancellable(() => door.admit({ decision }));
    return answer(take(judge(state, decision, { via: 'update', admitted })), call);
  };
  setHandler(decisionSignal, (decision) => {
    const judgement = take(judge(state, decision, { via: 'signal' }));
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
    const judgement = take(judge(state, { opKey, digest, verdict: approval.rule, by: approval.approver } satisfies Omit<Decision, 'comment'>, { via: 'auto' }));
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
  if ('asks' in judgement) throw new TypeError('The database was not asked.');
  throw ApplicationFailure.nonRetryable(judgement.refused.message, judgement.refused.reason);
}

/** What an unusable decision said, as far as it can be kept: the parts are untrusted and cut to a bounded length. */
function asSaid(decision: unknown): Pick<RefusedDecision, 'opKey' | 'digest' | 'verdict' | 'by'> {
  const said = (typeof decision === 'object' && decision !== null ? decision : {}) as Record<string, unknown>;
  const text = (key: string): string => (typeof said[key] === 'string' ? said[key].slice(0, 300) : '');
  return { opKey: text('opKey'), digest: text('digest'), verdict: text('verdict'), by: text('by') };
}
