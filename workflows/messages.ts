/** The names by which episodes and batches are spoken to from outside: updates, signals and queries. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Decision, Verdict } from '../contract/approval.ts';

/**
 * The accepted decision, and which call made it: a repeated update id gets the first answer, and its caller sees another `call` than its own. `approvals` of
 * `needed` people have approved: below that, the request waits for more; an escalation leaves it waiting too. Both are absent where the request is older than they are.
 */
export type Accepted = {
  readonly opKey: string; readonly digest: string; readonly verdict: Verdict; readonly by: string; readonly call: string; readonly approvals?: number; readonly needed?: number;
};

/** Decides about the pending request; refused with a typed failure whose type is the registry's reason. The second argument names the call. */
export const decideUpdate = defineUpdate<Accepted, [Decision, string?]>('decide');

/** The same for those who can only send signals, such as a form. Refusals are recorded, not answered. */
export const decisionSignal = defineSignal<[Decision]>('decision');

/** Where an episode is: for people and tests. */
export type EpisodeProgress = {
  readonly phase: 'opening' | 'proposing' | 'held' | 'committing' | 'finishing';
  readonly step: number;
  /** What waits for a decision. */
  readonly request: {
    readonly opKey: string; readonly digest: string; readonly approvers: readonly string[];
    /** How many people must approve, and who has. */
    readonly needed: number; readonly approvedBy: readonly string[];
    /** Where it was handed on: a person, or `group:<name>`. */
    readonly assignedTo: string | null;
  } | null;
  readonly decided: { readonly verdict: string; readonly by: string } | null;
};
export const episodeProgress = defineQuery<EpisodeProgress>('progress');

/** How far a batch is, in episodes. `skipped`: running or ended elsewhere under the same id. */
export type BatchProgress = {
  readonly planned: number;
  readonly done: number;
  readonly running: number;
  readonly failed: number;
  readonly skipped: number;
  readonly paused: boolean;
  /** Ended episodes by class. */
  readonly classes: Readonly<Record<string, number>>;
};
export const batchProgress = defineQuery<BatchProgress>('progress');

/** Stops starting children; those that run go on. Also an update, whose answer says that it was heard. */
export const pauseSignal = defineSignal('pause');
export const pauseUpdate = defineUpdate<BatchProgress>('pause');
export const resumeSignal = defineSignal('resume');
export const resumeUpdate = defineUpdate<BatchProgress>('resume');
