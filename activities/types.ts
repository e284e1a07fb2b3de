/** What crosses between the workflows and the activities: ids, digests and short words, and in the end a judged episode's facts, cut short; everything long stays in Postgres. */
import type { Admitted, Approval, Decision } from '../contract/approval.ts';
import type { BatchInput } from '../contract/batch-input.ts';
import type { Evidence } from '../contract/controller.ts';
import type { EpisodeFacts } from '../contract/episode-facts.ts';
import type { EpisodeInput } from '../contract/episode-input.ts';
import type { Reason } from '../contract/failures.ts';
import type { Guard } from '../contract/guard.ts';
import type { CommitOutcome, EpisodeOutcome } from '../contract/outcome.ts';

/** The episode to open: its id, and its input as it was given, which is checked first. */
export type OpenRequest = { readonly episodeId: string; readonly given: unknown };

/** An opened episode. A second run of the same id finds what the first one left. */
export type Opened = {
  /** The input with its defaults. */
  readonly input: EpisodeInput;
  /** How many transactions race the first commit; of a fork: how many the recorded history has before it. */
  readonly racers: number;
  /** The step to go on with; 1 for a new episode. */
  readonly step: number;
  /** The outcome that an earlier run recorded. */
  readonly ended: EpisodeOutcome | null;
  /** The ledger row that an earlier run left, where it did not get as far as recording its outcome. */
  readonly committed: string | null;
};

/** Why the last proposal was blocked: told to the model when it is asked again. */
export type Block = { readonly reason: Reason; readonly expected: string; readonly found: string };

/** A person's edit: the decision that holds the arguments. Nobody is asked then; they are proposed as they are. */
export type EditRef = { readonly decisionId: number };

/** A step's question to the model. */
export type ProposeActivityRequest = { readonly episodeId: string; readonly step: number; readonly windowMs: number; readonly block: Block | null; readonly edit?: EditRef };

/** A frozen proposal that waits for a decision, or why there is none. */
export type Proposed =
  | {
      readonly kind: 'act';
      readonly opKey: string;
      readonly digest: string;
      readonly tool: string;
      /** The names on the world's policy row for this tool. */
      readonly approvers: readonly string[];
      readonly proposer: string;
      /** ISO 8601, by the database's clock. */
      readonly expiresAt: string;
      /** The tool and its arguments, printable, at most 600 characters. */
      readonly summary: string;
      // Absent in histories of before there were authenticated people.
      /** What it rests on: rows with the versions that were read, and the states in which it is allowed; printable, at most 600 characters. */
      readonly basis?: string;
      /** How many different people must approve, and whether a decision counts that proves nothing of its sender. */
      readonly needed?: number;
      readonly unauthenticated?: boolean;
      /** Where an earlier run had been told that it was handed on to. */
      readonly assignedTo?: string | null;
    }
  | { readonly kind: 'abstain' }
  | { readonly kind: 'failed'; readonly reason: Reason }
  /** An earlier run gave the step up. */
  | { readonly kind: 'closed' };

/** An approved step to commit. `finish`, where nothing is to be judged after a commit: its outcome is written down at once. */
export type CommitActivityRequest = { readonly episodeId: string; readonly step: number; readonly decision: Approval; readonly faults: boolean; readonly finish?: true };

/** What came of it. `ended`: the episode's outcome as it stands, where the activity was asked to write it down and something was committed. */
export type Committed = CommitOutcome & { readonly ended?: EpisodeOutcome };

/** A step to give up, and the decision that ended it, where there was one. */
export type CloseRequest = { readonly step: number; readonly reason: Reason; readonly decision: Approval | 'expired' | 'cancelled' | null };

/** What stands after a step was given up: a commit that was in flight may have won. `told`: what the evidence that goes back shows to speak against the action, for whoever reads the history. */
export type Closed = { readonly ledgerId: string | null; readonly told?: readonly Reason[] };

/** A step to give up before the next one. `evidence`: what is bought about its proposal besides, to go back to the proposer with the next question. */
export type ReobserveRequest = { readonly episodeId: string; readonly close: CloseRequest; readonly evidence?: Evidence };

/** How an episode ended, as far as the workflow can tell; `close` is the step to settle before it is written down. */
export type FinishRequest = { readonly episodeId: string; readonly outcome: EpisodeOutcome; readonly close: CloseRequest | null; readonly score: boolean };

/**
 * The outcome that stands. `leaked`: whether an unsafe commit was found, null where nothing was committed or judged. `facts`: of an episode that was to be judged, bounded
 * (contract/bounded-facts.ts), for whoever reads the history; no decision hangs on them. Absent in older histories.
 */
export type Finished = { readonly outcome: EpisodeOutcome; readonly leaked: boolean | null; readonly facts?: EpisodeFacts };

/** A rollback as its workflow holds it: the request that waits, which step it is, and what is left of its window, in milliseconds. */
export type OpenedRollback = { readonly request: Extract<Proposed, { kind: 'act' }>; readonly step: number; readonly windowMs: number; readonly remindAfterMs: number };

/** An approved rollback to commit. */
export type CommitRollbackRequest = { readonly rollbackId: string; readonly step: number; readonly decision: Approval };

/** A rollback that is given up. */
export type CloseRollbackRequest = { readonly rollbackId: string; readonly close: CloseRequest };

/** A decision that came as a signal and was refused. The id is the same on every retry. */
export type RefusedDecision = {
  readonly id: string; readonly opKey: string; readonly digest: string; readonly verdict: string; readonly by: string; readonly via: 'signal' | 'update'; readonly reason: Reason;
};

/** One child of a batch. */
export type PlannedEpisode = { readonly episodeId: string; readonly caseId: string; readonly model: string; readonly seed: number; readonly guard: Guard };

/** A page of a batch's plan, without the episodes whose outcome is recorded already. */
export type BatchPage = { readonly input: BatchInput & { readonly batchId: string }; readonly total: number; readonly recorded: number; readonly episodes: readonly PlannedEpisode[] };

/** The activities, by the names that histories know them by. */
export type Activities = {
  openEpisode(request: OpenRequest): Promise<Opened>;
  propose(request: ProposeActivityRequest): Promise<Proposed>;
  /** Gives a step up and observes anew for the next one. */
  reobserve(request: ReobserveRequest): Promise<Closed>;
  /** Asks the database about a decision that was let in there: whether it was, and whose approvals stand. Null where it was not. */
  admit(request: { readonly decision: Decision }): Promise<Admitted | null>;
  /** Notes that people were reminded of a request that still waits, once. @returns whether it does */
  remind(request: { readonly opKey: string }): Promise<boolean>;
  mutate(request: { readonly episodeId: string }): Promise<void>;
  commit(request: CommitActivityRequest): Promise<Committed>;
  finishEpisode(request: FinishRequest): Promise<Finished>;
  recordRefusals(request: { readonly refusals: readonly RefusedDecision[] }): Promise<void>;
  openRollback(request: { readonly rollbackId: string }): Promise<OpenedRollback>;
  commitRollback(request: CommitRollbackRequest): Promise<CommitOutcome>;
  closeRollback(request: CloseRollbackRequest): Promise<Closed>;
  planBatch(request: { readonly workflowId: string; readonly given: unknown; readonly offset: number }): Promise<BatchPage>;
};
