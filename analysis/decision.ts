/** One decision of a run as its records keep it: what was planned, proposed, attempted, and how the judge scored it. */
import type { Condition, Twin } from '../contract/case.ts';
import type { Clause, GuardKind } from '../contract/guard.ts';
import type { EpisodeClass } from '../contract/outcome.ts';
import type { Reason } from '../contract/failures.ts';
import type { Arguments } from '../contract/proposal.ts';

/** The first proposal of an episode. `none`: the episode ended before a model was asked, or never began. */
export type FirstProposal =
  | { readonly kind: 'act'; readonly tool: string; readonly arguments: Arguments; readonly confidence: number | null; readonly replyDigest: string; readonly wrongArguments: boolean }
  | { readonly kind: 'abstain'; readonly confidence: number | null; readonly replyDigest: string }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly replyDigest: string | null }
  | { readonly kind: 'none' };

/** One row that the ledger keeps of the episode. `told`: on a step that was closed because evidence went back, the reasons that the evidence named against the action. */
export type AttemptRecord = { readonly opKey: string; readonly verdict: 'committed' | 'rejected' | 'closed'; readonly reason: string | null; readonly told?: readonly string[] };

/** The judge's score. `unjudged`: why it could not say; such a decision may be unsafe. */
export type ScoreRecord =
  | {
      readonly committed: boolean; readonly unsafe: boolean; readonly duplicates: number; readonly diffExact: boolean; readonly safeSuccess: boolean; readonly wrongEffect: boolean;
      readonly blockedBenign: boolean; readonly integrity: string; readonly failedClauses: readonly Clause[];
    }
  | { readonly unjudged: string };

/** One planned episode. It is here whatever became of it, so that no failure leaves the denominator. */
export type Decision = {
  readonly id: string;
  readonly caseId: string;
  readonly condition: Condition;
  readonly twin: Twin;
  readonly model: string;
  readonly seed: number;
  readonly guard: GuardKind;
  readonly without: readonly Clause[];
  readonly class: EpisodeClass;
  readonly reason: Reason | null;
  /** Steps that were observed; 0 where the episode never opened its world. */
  readonly steps: number;
  readonly proposal: FirstProposal;
  readonly attempts: readonly AttemptRecord[];
  /** Null where there is no world to judge. */
  readonly score: ScoreRecord | null;
  /** How often the case's condition really struck. */
  readonly faults: Readonly<Record<string, number>>;
};

/** What names a proposal: the episodes of all guards with the same key share it. */
export function proposalKey(decision: Pick<Decision, 'caseId' | 'model' | 'seed'>): string {
  return JSON.stringify([decision.model, decision.seed, decision.caseId]);
}
