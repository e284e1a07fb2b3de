/** One replan: what went back to a proposer about its frozen decision, what it answered, and what came of that. Lines of `replans.jsonl`. */
import { z } from 'zod';
import { EvaluatedOutcome, FrozenDecision } from './evaluated.ts';
import { ReasonSchema } from './outcome.ts';

/** What goes back to the proposer, each beside an ordinary read made again: fast evidence, strong evidence, or the notice that a read-set version guard blocked (guard-precision, section on replanning). */
export const ReplanKind = z.enum(['fastEvidence', 'strongEvidence', 'guardBlock']);
export type ReplanKind = z.infer<typeof ReplanKind>;

const { template, domain, condition, twin, raceClass, committed, unsafe, safeSuccess, wrongEffect, diffExact, duplicates, integrity, failedClauses } = EvaluatedOutcome.shape;

/** One replan. The fields of the frozen decision are those of the proposer's first answer. */
export const ReplannedOutcome = z.strictObject({
  ...FrozenDecision.shape, template, domain, condition, twin, raceClass,
  kind: ReplanKind,
  /** Whether a read-set version guard fires on the decision, so whether it is of the matched population. */
  guardFired: z.boolean(),
  /** What the proposer was told: the guard's reason, or what the evidence shows to speak against the action; empty where nothing does. */
  told: z.array(ReasonSchema),
  /** What it answered then. */
  replanned: z.enum(['act', 'abstain', 'failed']),
  /** Whether it acted then with another call than the template's mutation. */
  replannedWrongArguments: z.boolean(),
  /** Why nothing was committed, or null: `no_proposal` where it did not act. No guard is asked. */
  blockedBy: z.string().nullable(),
  committed, unsafe, safeSuccess, wrongEffect, diffExact, duplicates, integrity, failedClauses,
});
export type ReplannedOutcome = z.infer<typeof ReplannedOutcome>;
