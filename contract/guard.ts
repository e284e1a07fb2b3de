/** Which condition a commit checks in its own transaction. */
import { z } from 'zod';

/** The clauses of a full predicate (guard-precision, section on guards): operational status, policy, integrity, not already applied. */
export const Clause = z.enum(['status', 'policy', 'integrity', 'notApplied']);
export type Clause = z.infer<typeof Clause>;

/** What the guard compares: nothing, the world's epoch, the read set's versions, or the predicate. */
export const GuardKind = z.enum(['none', 'epoch', 'version', 'predicate']);
export type GuardKind = z.infer<typeof GuardKind>;

/** A guard. `without` leaves clauses out of a predicate (an incomplete contract); it must be empty for the other kinds. */
export const Guard = z
  .strictObject({ kind: GuardKind, without: z.array(Clause).default([]) })
  .refine((guard) => guard.kind === 'predicate' || guard.without.length === 0, { error: 'Only a predicate guard can leave clauses out.' });
export type Guard = z.infer<typeof Guard>;
