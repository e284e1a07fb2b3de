/** What is said to somebody whose words were taken in, or whom nobody knows. */
import type { Said } from '../database/decisions.ts';

/** Of a token that opens nothing: every door says the same, and no more. */
export const unknownToken = 'The token is unknown, revoked or expired.';

/** One sentence. Names in it are other people's text. */
export function acceptedSentence({ kind, to }: Pick<Said, 'kind' | 'to'>, person: string, { approvals, needed }: { readonly approvals: number; readonly needed: number }): string {
  switch (kind) {
    case 'approve': return approvals < needed ? `Approved by ${person}: ${String(approvals)} of ${String(needed)}, the others must still approve.` : `Approved by ${person}.`;
    case 'reject': return `Rejected by ${person}.`;
    case 'edit': return `Edited by ${person}: the world is read again, and somebody else must approve the new proposal.`;
    case 'comment': return `Comment of ${person} kept.`;
    case 'escalate': return `Handed on by ${person} to ${to ?? 'nobody'}, who alone can decide now.`;
  }
}
