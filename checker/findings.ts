/** The words of the checker's answers. */
import type { Clause, GuardKind } from '../contract/guard.ts';
import type { Reason } from '../contract/failures.ts';

/** What is proved of a world beside its single attempts. */
export type Proof = 'epochs' | 'history' | 'ledger' | 'approvals' | 'effects' | 'clauses';

/** One thing that is wrong, in a sentence. `everywhere`: it is about a table, and said of every world that is judged with it. */
export type Finding = { readonly worldId: string; readonly proof: Proof; readonly text: string; readonly everywhere?: true };

/** One ledger row, held against the history. Null: the question does not arise for this row. */
export type AttemptJudgement = {
  readonly ledgerId: string;
  readonly opKey: string;
  readonly tool: string;
  readonly guard: GuardKind;
  readonly without: readonly Clause[];
  readonly verdict: 'committed' | 'rejected' | 'closed';
  readonly reason: Reason | null;
  /** Of a committed row: its epoch in the world's history. */
  readonly epoch: string | null;
  /** Of a committed row: whether the full predicate did not hold just before it, or it left a duplicate. */
  readonly unsafe: boolean | null;
  /** Clauses that did not hold: just before a commit, or at the epoch that a rejection found. Empty where nothing can be asked (closed, refused before the locks). */
  readonly failedClauses: readonly Clause[];
  /** Of a committed row: whether the guard's own condition held just before it, by the history. False is a leak of the guard, even where the commit was safe. */
  readonly guardHeld: boolean | null;
  /** Of a rejection by a guard: the history does not bear it out. A clause: the full predicate, or the named clause, held. Version, epoch: there was no mismatch. */
  readonly wronglyRejected: boolean | null;
  /** Of a rejection by a guard: whether the full predicate held at the epoch found: a needless block, though not a wrong one. */
  readonly blockedThoughSafe: boolean | null;
  /** Of a committed row: side-effect rows under its op key beyond the first, in whatever transaction. */
  readonly opKeyDuplicates: number;
  /** Of a committed row: side-effect rows of it that do what an earlier row had done. */
  readonly effectDuplicates: number;
  /** Whether another transaction of the same world wrote while this attempt ran; by the clocks of both, read before each COMMIT, so never too often. */
  readonly overlapped: boolean;
  /** How long the attempt waited for its locks, in microseconds. Null where it did not get to them. */
  readonly lockWaitUs: number | null;
};

/**
 * What the checker says of a world. `sound`: every proof holds and every attempt could be judged (unsafe commits may be among them: a world of the
 * guard `none` is sound and unsafe). `broken`: a proof fails. `unknown`: the check itself failed, or an attempt could not be judged; never to be read as fine.
 */
export type WorldJudgement = {
  readonly worldId: string;
  readonly status: 'sound' | 'broken' | 'unknown';
  /** Why it is unknown; else null. */
  readonly why: string | null;
  readonly findings: readonly Finding[];
  readonly attempts: readonly AttemptJudgement[];
};
