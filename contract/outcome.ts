/** How a commit ended, and how an episode ended. */
import { z } from 'zod';
import { Clause } from './guard.ts';
import { BigintText } from './observation.ts';
import { failures, type Reason } from './failures.ts';

/** A reason of the registry, as a schema. */
export const ReasonSchema = z.enum(Object.keys(failures) as [Reason, ...Reason[]]);

/** `committed`: this call made the effect. `replayed`: an earlier call with this op key did. `rejected`: no effect. `unknown`: not settled yet. */
export const CommitOutcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.enum(['committed', 'replayed']), ledgerId: BigintText }),
  z.strictObject({
    outcome: z.literal('rejected'),
    reason: ReasonSchema,
    /** The clause that failed, where the predicate guard refused. */
    clause: Clause.nullable(),
    expected: z.string(),
    found: z.string(),
  }),
  z.strictObject({ outcome: z.literal('unknown'), reason: z.literal('commit_unknown') }),
]);
export type CommitOutcome = z.infer<typeof CommitOutcome>;

/** The terminal class of an episode: every planned episode has one, so that no failure leaves the denominator. */
export const EpisodeClass = z.enum(['committed', 'refused', 'abstained', 'not_approved', 'model_failure', 'infrastructure_failure', 'cancelled', 'unknown']);
export type EpisodeClass = z.infer<typeof EpisodeClass>;

/** The result of an episode's workflow. */
export const EpisodeOutcome = z.strictObject({ class: EpisodeClass, reason: ReasonSchema.nullable(), ledgerId: BigintText.nullable(), steps: z.int().min(0) });
export type EpisodeOutcome = z.infer<typeof EpisodeOutcome>;
