/** Reads a decision by hand, as contract/approval.ts defines it: the schema itself would be built anew for every workflow, which costs more than all the rest. A test holds the two together. */
import type { Decision } from '../contract/approval.ts';

/** Longest texts, in UTF-16 code units. */
const longest = { opKey: 1100, by: 200, comment: 2000, to: 210 } as const;
const keys: readonly string[] = ['opKey', 'digest', 'verdict', 'by', 'comment', 'to', 'decisionId'] satisfies (keyof Decision)[];
const verdicts: readonly unknown[] = ['approve', 'reject', 'edit', 'escalate'] satisfies Decision['verdict'][];

/** The decision, or what is wrong with it in a few words. */
export function readDecision(raw: unknown): Decision | string {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return 'it is no object';
  const said: Readonly<Record<string, unknown>> = { ...raw };
  const { opKey, digest, verdict, by, comment = '', to, decisionId } = said;
  if (!Object.keys(said).every((key) => keys.includes(key))) return 'it takes opKey, digest, verdict, by and comment, and nothing else';
  if (!isText(opKey, longest.opKey)) return 'opKey: a text of 1 to 1100 characters';
  if (!isDigest(digest)) return 'digest: 64 hexadecimal digits';
  if (!verdicts.includes(verdict)) return 'verdict: approve or reject';
  if (!isText(by, longest.by)) return 'by: a text of 1 to 200 characters';
  if (typeof comment !== 'string' || comment.length > longest.comment) return 'comment: a text of at most 2000 characters';
  if (to !== undefined && !isText(to, longest.to)) return 'to: a text of 1 to 210 characters';
  if (decisionId !== undefined && !(Number.isSafeInteger(decisionId) && Number(decisionId) >= 1)) return 'decisionId: an integer from 1';
  const heard = { ...(to !== undefined && { to }), ...(decisionId !== undefined && { decisionId: Number(decisionId) }) };
  return { opKey, digest, verdict: verdict as Decision['verdict'], by, comment, ...heard };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= most;
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
