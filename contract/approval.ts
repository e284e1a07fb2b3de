/** A decision about one proposal, and how it is asked for and answered. */
import { z } from 'zod';

/** Longest comment, in UTF-16 code units, as JavaScript and a browser's fields count characters. */
export const mostCommentLength = 2_000;

/** 64 hexadecimal digits: a proposal's digest. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * Through which door a decision came. `cli` and `inbox` authenticate; an update or a signal by itself carries no identity, so what it says is recorded as
 * unauthenticated; `auto` is the simulated approver.
 */
export const Channel = z.enum(['auto', 'update', 'signal', 'cli', 'inbox']);
export type Channel = z.infer<typeof Channel>;

/** What a person may answer to a request. `edit` ends it in favour of another proposal; `escalate` hands it on and leaves it open. */
export const Verdict = z.enum(['approve', 'reject', 'edit', 'escalate']);
export type Verdict = z.infer<typeof Verdict>;

/**
 * What an approver says: it names the request (op key) and the exact proposal (digest), so it can never hit another one. `decisionId` is the
 * database's, which let it in before (database/decisions.ts) and is asked again by whoever is told of it; without one nothing is known of the sender, and only
 * approve and reject can be accepted.
 */
export const Decision = z.strictObject({
  /** The episode's id, a colon and the step; Temporal's ids have at most 1,000 characters. */
  opKey: z.string().min(1).max(1100),
  digest: Digest,
  verdict: Verdict,
  by: z.string().min(1).max(200),
  comment: z.string().max(mostCommentLength).default(''),
  /** Of `escalate`: a person, or `group:<name>`. */
  to: z.string().min(1).max(210).optional(),
  decisionId: z.int().min(1).optional(),
});
export type Decision = z.infer<typeof Decision>;

/** The accepted decision of a request, as recorded: exactly one a request. `expired` and `cancelled` come from the engine, never from silence read as consent. */
export const Approval = z.strictObject({
  opKey: z.string(),
  digest: Digest,
  verdict: z.enum(['approve', 'reject', 'edit', 'expired', 'cancelled']),
  /** Who said it; where several people must approve, the one who completed it. */
  by: z.string(),
  via: Channel,
  comment: z.string(),
  /** What the database let in for it, one a person; absent where nothing proves who said it. */
  decisionIds: z.array(z.int()).optional(),
});
export type Approval = z.infer<typeof Approval>;

/** What an episode may believe of a decision that was let in: the words that came with it, how many people must approve at this moment, and whose approvals stand, one a person. */
export type Admitted = { readonly comment: string; readonly needed: number; readonly approvals: readonly { readonly decisionId: number; readonly by: string }[] };
