/** One attempt as the ledger keeps it: append-only, at most one committed row an op key. */
import { z } from 'zod';
import { Clause, GuardKind } from './guard.ts';
import { BigintText } from './observation.ts';
import { ReasonSchema } from './outcome.ts';

/** A ledger row. Times are ISO 8601 texts with microseconds, by the database's clock. */
export const LedgerRow = z.strictObject({
  id: BigintText,
  worldId: BigintText,
  opKey: z.string(),
  digest: z.string(),
  tool: z.string(),
  guard: GuardKind,
  without: z.array(Clause),
  verdict: z.enum(['committed', 'rejected', 'closed']),
  reason: ReasonSchema.nullable(),
  attempt: z.int().min(1),
  versionsRead: z.array(BigintText),
  /** Null in place of a version: the row was not there. */
  versionsFound: z.array(BigintText.nullable()),
  epochRead: BigintText.nullable(),
  epochFound: BigintText.nullable(),
  /** The verdict of every clause, also of those that were not asked; null where the locks did not get that far. */
  clauses: z.strictObject({ status: z.boolean(), policy: z.boolean(), integrity: z.boolean(), notApplied: z.boolean() }).nullable(),
  approvedBy: z.string().nullable(),
  xact: z.string(),
  startedAt: z.string(),
  /** The linearization point: read once, after the last lock was granted. */
  lockedAt: z.string().nullable(),
  at: z.string(),
});
export type LedgerRow = z.infer<typeof LedgerRow>;
