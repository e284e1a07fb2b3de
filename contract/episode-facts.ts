/**
 * What an episode saw, proposed, was allowed and found, as far as the database keeps it. A judged episode's history carries them (in the result of its last
 * activity), so that it explains itself where no database is left; everywhere else they are read from the tables. The same shapes either way.
 */
import { z } from 'zod';
import { failures } from './failures.ts';
import { Clause, GuardKind } from './guard.ts';
import { BigintText } from './observation.ts';
import { ReasonSchema } from './outcome.ts';

/** ISO 8601, by the database's clock. */
const Time = z.string();

/** A row of the read set: the version that was read, and the one that was found under the commit's locks; null: not there, or never executed. */
export const RowAtCommit = z.strictObject({ table: z.string(), key: z.string(), read: BigintText, found: BigintText.nullable() });
export type RowAtCommit = z.infer<typeof RowAtCommit>;

/** One op key of the view `holdpoint.decision_boundary`, which says what each column means (database/migrations/0019_boundary.sql). */
export const BoundaryRow = z.strictObject({
  opKey: z.string(), episodeId: z.string().nullable(), step: z.int(), tool: z.string(), digest: z.string().nullable(), proposer: z.string().nullable(),
  proposedAt: Time.nullable(), expiresAt: Time.nullable(),
  decision: z.enum(['approve', 'reject', 'edit', 'expired', 'cancelled']).nullable(), decidedAt: Time.nullable(), decidedBy: z.array(z.string()).nullable(),
  /** One a person: `token:<id>`, `simulated`, `engine` or `unauthenticated`. */
  identity: z.array(z.string()).nullable(), via: z.string().nullable(),
  executionStartedAt: Time.nullable(), lockRequestedAt: Time.nullable(), lockedAt: Time.nullable(), endedAt: Time.nullable(),
  outcome: z.enum(['waiting', 'decided', 'committed', 'refused', 'closed']), reason: ReasonSchema.nullable(), disposition: z.enum(Object.values(failures).map((failure) => failure.disposition)).nullable(),
  refusedBy: z.string().nullable(), asked: z.array(z.string()).nullable(),
  /** The verdict of every clause under the locks, also of those that were not asked; null where the locks did not get that far. */
  clauses: z.record(Clause, z.boolean()).nullable(),
  call: z.enum(['new', 'resumed', 'retried']).nullable(), attempts: z.int(),
  epochRead: BigintText.nullable(), epochFound: BigintText.nullable(), rows: z.array(RowAtCommit).nullable(),
  ledgerId: BigintText.nullable(), closedAt: Time.nullable(), closedReason: ReasonSchema.nullable(),
});
export type BoundaryRow = z.infer<typeof BoundaryRow>;

/** One row that somebody wrote to the episode's world after it was seeded. `before` and `after`: the whole row, or in a history the changed columns alone, long texts cut. */
export const WorldChange = z.strictObject({
  at: Time, epoch: BigintText, actor: z.string(), reason: z.string(), opKey: z.string().nullable(), table: z.string(), key: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(), after: z.record(z.string(), z.unknown()).nullable(),
});
export type WorldChange = z.infer<typeof WorldChange>;

/** The judge's word: see checker/score.ts. */
export const JudgedFacts = z.strictObject({ committed: z.boolean(), unsafe: z.boolean(), duplicates: z.int(), failedClauses: z.array(Clause), integrity: z.enum(['sound', 'broken']) });
export type JudgedFacts = z.infer<typeof JudgedFacts>;

/** All of it. `judged`: null where nobody judged, or the judge could not. */
export const EpisodeFacts = z.strictObject({
  episodeId: z.string(), worldId: BigintText, caseId: z.string(), model: z.string(), seed: z.int(), guard: GuardKind, without: z.array(Clause),
  startedAt: Time,
  /** What each step asked for: the frozen arguments by op key. In a history long texts are cut. */
  proposed: z.record(z.string(), z.record(z.string(), z.unknown())),
  steps: z.array(BoundaryRow), changes: z.array(WorldChange), judged: JudgedFacts.nullable(),
  /** How many of the world's changes are not in `changes`, which then holds the first ones; absent where all are. */
  changesLeftOut: z.int().min(1).optional(),
});
export type EpisodeFacts = z.infer<typeof EpisodeFacts>;
