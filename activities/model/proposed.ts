/** What comes of asking for a proposal: an act, an abstention or a failure, each with the replies that led to it. */
import type { Reason } from '../../contract/failures.ts';
import type { Reply } from '../../contract/proposal.ts';

/** One reply on the way: `reason` is null where it was valid. */
export type Attempt = { readonly replyDigest: string; readonly asked: boolean; readonly reason: Reason | null; readonly detail: string };

type Traced = { readonly replyDigest: string; readonly asked: boolean; readonly attempts: readonly Attempt[] };

/** What came of it. `replyDigest` and `asked` are of the last attempt. */
export type Proposed =
  | (Traced & { readonly kind: 'act'; readonly reply: Extract<Reply, { decision: 'act' }> })
  | (Traced & { readonly kind: 'abstain'; readonly reply: Extract<Reply, { decision: 'abstain' }> })
  | (Traced & { readonly kind: 'failed'; readonly reason: Reason; readonly detail: string });
