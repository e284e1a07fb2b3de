/** Reads a decision by hand, as contract/approval.ts defines it: the schema itself would be built anew for every workflow, which costs more than all the rest. A test holds the two together. */
import type { Decision } from '../contract/approval.ts';

/** Longest texts, in UTF-16 code units. */
const longest = { opKey: 1100, by: 200, comment: 2000 } as const;

/** The decision, or what is wrong with it in a few words. */
export function readDecision(raw: unknown): Decision | string {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return 'it is no object';
  const said: Record<string, unknown> = { comment: '', ...raw };
  const { opKey, digest, verdict, by, comment = '' } = said;
  if (Object.keys(said).length !== 5) return 'it takes opKey, digest, verdict, by and comment, and nothing else';
  if (!isText(opKey, longest.opKey)) return 'opKey: a text of 1 to 1100 characters';
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest)) return 'digest: 64 hexadecimal digits';
  if (verdict !== 'approve' && verdict !== 'reject') return 'verdict: approve or reject';
  if (!isText(by, longest.by)) return 'by: a text of 1 to 200 characters';
  if (typeof comment !== 'string' || comment.length > longest.comment) return 'comment: a text of at most 2000 characters';
  return { opKey, digest, verdict, by, comment };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= most;
}
