/** A decision about one proposal, and how it is asked for and answered. */
import { z } from 'zod';

/** 64 hexadecimal digits: a proposal's digest. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Through which door a decision came; a signal carries no identity of its own, so what it says is recorded as unauthenticated. */
export const Channel = z.enum(['auto', 'update', 'signal']);
export type Channel = z.infer<typeof Channel>;

/** What an approver says: it names the request (op key) and the exact proposal (digest), so it can never hit another one. */
export const Decision = z.strictObject({
  /** The episode's id, a colon and the step; Temporal's ids have at most 1,000 characters. */
  opKey: z.string().min(1).max(1100),
  digest: Digest,
  verdict: z.enum(['approve', 'reject']),
  by: z.string().min(1).max(200),
  comment: z.string().max(2000).default(''),
});
export type Decision = z.infer<typeof Decision>;

/** The accepted decision of a request, as recorded: exactly one a request. `expired` and `cancelled` come from the engine, never from silence read as consent. */
export const Approval = z.strictObject({
  opKey: z.string(),
  digest: Digest,
  verdict: z.enum(['approve', 'reject', 'expired', 'cancelled']),
  by: z.string(),
  via: Channel,
  comment: z.string(),
});
export type Approval = z.infer<typeof Approval>;
