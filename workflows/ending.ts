/** How an episode's end is named: from a commit's outcome, a decision, or a failure, to its class and reason. */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { CloseRequest } from '../activities/types.ts';
import type { Approval } from '../contract/approval.ts';
import { failures, isReason, type Reason } from '../contract/failures.ts';
import type { CommitOutcome, EpisodeClass, EpisodeOutcome } from '../contract/outcome.ts';

/** An end that is not settled yet: the outcome as the workflow sees it, and the step to close before it is written down; or one that the commit wrote down itself. */
export type Ending = { readonly outcome: EpisodeOutcome; readonly close: CloseRequest | null; readonly recorded?: true };

/** The effect is there. `ended`: the outcome that is written down already. */
export function committedEnding(step: number, ledgerId: string, ended?: EpisodeOutcome): Ending {
  if (ended !== undefined) return { outcome: ended, close: null, recorded: true };
  return { outcome: { class: 'committed', reason: null, ledgerId, steps: step }, close: null };
}

/** No effect is there, as far as is known: the step's op key is closed before this is written down. */
export function endingWithout(kind: EpisodeClass, step: number, end: { reason: Reason | null; decision?: CloseRequest['decision'] }): Ending {
  return {
    outcome: { class: kind, reason: end.reason, ledgerId: null, steps: step },
    close: { step, reason: end.reason ?? 'op_key_closed', decision: end.decision ?? null },
  };
}

/** The end that a refused commit is, where it is not to be proposed anew. */
export function refusedEnding(step: number, refused: Extract<CommitOutcome, { outcome: 'rejected' }>, decision: Approval): Ending {
  return endingWithout(failures[refused.reason].kind === 'approval' ? 'not_approved' : 'refused', step, { reason: refused.reason, decision });
}

/** The end that a failed or cancelled activity is. Anything else is a bug and is thrown on, so that it fails the task and not the episode. */
export function endingOf(error: unknown, step: number, decision: Approval | null): Ending {
  if (isCancellation(error)) return endingWithout('cancelled', step, { reason: 'cancelled', decision: decision ?? 'cancelled' });
  if (!(error instanceof ActivityFailure)) throw error;
  const reason = reasonOf(error);
  return endingWithout(reason !== null && failures[reason].kind === 'model' ? 'model_failure' : 'infrastructure_failure', step, { reason, decision });
}

/** The registry's reason in an activity's failure, or null where it carries none (a timeout, a bug). */
export function reasonOf(failure: ActivityFailure): Reason | null {
  const { cause } = failure;
  if (cause instanceof ApplicationFailure && typeof cause.type === 'string' && isReason(cause.type)) return cause.type;
  if (cause instanceof TimeoutFailure && failure.activityType === 'propose') return 'model_timeout';
  return null;
}
