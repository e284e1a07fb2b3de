/** What is wrong with the form of what somebody says, in words: so that a person is told before it is sent, or why it was refused. */
import { mostCommentLength } from '../contract/approval.ts';
import type { Said, SaidKind } from '../database/decisions.ts';
import { isStorable } from '../database/storable.ts';

const counted = (characters: number): string => characters.toLocaleString('en');

/** What is wrong with a comment, in one sentence, or null. One that is only blank says nothing. */
export function commentProblem(kind: SaidKind, comment: string): string | null {
  if (kind === 'comment' && comment.trim() === '') return `The comment is empty: it takes 1 to ${counted(mostCommentLength)} characters.`;
  return comment.length > mostCommentLength ? `The comment has ${counted(comment.length)} characters: it takes at most ${counted(mostCommentLength)}.` : null;
}

/** What is wrong with the rest or with the comment, in one sentence, or null. The database refuses the same as `malformed_decision`. */
export function formProblem(said: Said): string | null {
  const { kind, opKey, digest, comment, to = '' } = said;
  const ofComment = commentProblem(kind, comment);
  if (ofComment !== null) return ofComment;
  if (!Object.values(said).every(isStorable)) return 'It holds characters that cannot be kept.';
  if (opKey === '' || opKey.length > 1_100) return 'It names its request by an op key of 1 to 1,100 characters.';
  if (!/^[0-9a-f]{64}$/.test(digest)) return 'It names its proposal by a digest of 64 hexadecimal digits.';
  if (kind === 'escalate' && (to === '' || to.length > 210)) return 'It is handed on to a person or group:<name>, of 1 to 210 characters.';
  return null;
}
