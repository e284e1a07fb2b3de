/** One outcome of the frozen evaluation: one controller on one frozen proposal, in a world of its own, scored by the judge. Lines of `outcomes.jsonl`. */
import { z } from 'zod';
import { Condition, Domain, Twin } from './case.ts';
import { Clause } from './guard.ts';
import { controllerNames } from './controller.ts';

/** What a proposer did with a case under a seed: the key of everything that is compared. */
export const FrozenDecision = z.strictObject({
  caseId: z.string(),
  proposer: z.string(),
  seed: z.int(),
  /** `act`: the template's tool with `wrongArguments` false, or with other arguments. */
  answer: z.enum(['act', 'abstain', 'failed']),
  wrongArguments: z.boolean(),
  /** 0 to 1, or null where the proposer says none. */
  confidence: z.number().min(0).max(1).nullable(),
  /** Share of repeated decodings that agree, 0 to 1, or null. */
  agreement: z.number().min(0).max(1).nullable(),
});
export type FrozenDecision = z.infer<typeof FrozenDecision>;

/** How a race bears on the action (guard-precision, race taxonomy): `clean` is none at all. */
export const RaceClass = z.enum(['invalidating', 'preserving', 'irrelevant', 'clean']);
export type RaceClass = z.infer<typeof RaceClass>;

/** One outcome. Booleans are the judge's, from the database alone. */
export const EvaluatedOutcome = z.strictObject({
  ...FrozenDecision.shape,
  template: z.string(), domain: Domain, condition: Condition, twin: Twin, raceClass: RaceClass,
  telemetry: z.enum(['canonical', 'degraded']),
  controller: z.enum(controllerNames),
  /** What the controller did; `none` where there was nothing to act on (the proposer abstained or failed). */
  action: z.enum(['execute', 'guard', 'fast', 'strong', 'escalate', 'none']),
  /** Verification units spent. */
  cost: z.number().min(0),
  /** Why nothing was committed, or null: a guard's reason, `evidence` where bought evidence stopped it, `escalated`, `no_proposal`. */
  blockedBy: z.string().nullable(),
  committed: z.boolean(), unsafe: z.boolean(), safeSuccess: z.boolean(), wrongEffect: z.boolean(), diffExact: z.boolean(),
  duplicates: z.int().min(0), integrity: z.enum(['sound', 'broken']), failedClauses: z.array(Clause),
});
export type EvaluatedOutcome = z.infer<typeof EvaluatedOutcome>;

/** The race class of a cell: the concurrent mutation's benign twin writes outside the read set; the other benign twins move versions inside it. */
export function raceClassOf(condition: Condition, twin: Twin): RaceClass {
  if (twin === 'clean') return 'clean';
  if (twin === 'hazardous') return 'invalidating';
  return condition === 'concurrent-mutation' ? 'irrelevant' : 'preserving';
}
