/** What people say about requests through authenticated doors: let in or refused by the database, and kept either way. */
import { mostCommentLength, type Admitted, type Decision, type Verdict } from '../contract/approval.ts';
import type { Reason } from '../contract/failures.ts';
import type { Queryable } from './pool.ts';
import { isStorable, storable } from './storable.ts';

/** What may be said through an authenticated door. */
export type SaidKind = Verdict | 'comment';

/** One thing that somebody says about one proposal, named by op key and digest. `arguments`: of an edit, as JSON text; `to`: of an escalation, a person or `group:<name>`. */
export type Said = {
  readonly kind: SaidKind;
  readonly opKey: string;
  readonly digest: string;
  readonly via: 'cli' | 'inbox';
  /** At most 2,000 characters; a `comment` needs one. */
  readonly comment: string;
  readonly arguments?: string;
  readonly to?: string;
};

/**
 * The database's answer. Let in: under `decisionId` the episode is told of it (of a comment it is not), and `approvals` of `needed` people have approved. Refused: `verdict` and `by` are what stands already, where something does.
 */
export type Heard =
  | { readonly decisionId: number; readonly person: string; readonly episodeId: string; readonly approvals: number; readonly needed: number }
  | { readonly refused: Reason; readonly decisionId: number; readonly person: string; readonly verdict: string | null; readonly by: string | null };

/** Longest texts that are sent at all, in UTF-16 code units: beyond, the database says `malformed_decision` and keeps the beginning. */
const mostSent = 20_000;

/**
 * Says it in the name of the token whose SHA-256 is given. One statement: the request's row is locked, and whoever speaks second hears what the first one said.
 * Expected refusals are values; saying the same again gives the first answer again.
 */
export async function hear(db: Queryable, tokenHash: string, said: Said): Promise<Heard> {
  // The database counts code points: a comment of emoji that it would let in could be too long for the episode.
  const sound = Object.values(said).every((text) => isStorable(text) && text.length <= mostSent) && said.comment.length <= mostCommentLength;
  const sent = Object.fromEntries(Object.entries(said).map(([key, text]) => [key, storable(text).slice(0, mostSent)]));
  const { rows } = await db.query<{ heard: Heard }>({ name: 'hear', text: 'select holdpoint.hear($1, $2::jsonb) as heard', values: [tokenHash, JSON.stringify({ ...sent, ...(!sound && { malformed: true }) })] });
  const [row] = rows;
  if (row === undefined) throw new TypeError('The database said nothing.');
  return row.heard;
}

/** Notes that the episode did not take in what the database had let in. Once; a repeated call changes nothing, and neither does one about what stands. */
export async function notTaken(db: Queryable, decisionId: number, reason: Reason): Promise<void> {
  await db.query('select holdpoint.not_taken($1, $2)', [decisionId, reason]);
}

/** Everything that was said about a request, or about an episode's requests, through authenticated doors. Times are ISO 8601, by the database's clock. */
export type DecisionRow = {
  readonly decisionId: number;
  readonly opKey: string;
  readonly digest: string;
  /** `remind` is the engine's. */
  readonly kind: SaidKind | 'remind';
  readonly person: string;
  /** `token:<id>`, `engine`, or empty where the sender was not authenticated. */
  readonly identity: string;
  readonly via: 'cli' | 'inbox' | 'engine';
  readonly comment: string;
  /** Of an edit, as JSON text. */
  readonly arguments: string | null;
  /** Of an escalation: to whom. */
  readonly assignedTo: string | null;
  /** Why it was refused, or null where it was let in. */
  readonly refused: Reason | null;
  readonly at: string;
};

const columns = `d.decision_id::float8 as "decisionId", d.op_key as "opKey", d.digest, d.kind, d.person, d.identity, d.via, d.comment, d.arguments, d.assigned_to as "assignedTo", d.refused,
  to_char(d.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`;

/** What was said, in the order in which it was. */
export async function decisionsOf(db: Queryable, of: { readonly opKey: string } | { readonly episodeId: string }): Promise<readonly DecisionRow[]> {
  const [where, value] = 'opKey' in of ? ['d.op_key = $1', of.opKey] : ['d.op_key in (select a.op_key from holdpoint.approvals a where a.episode_id = $1)', of.episodeId];
  const { rows } = await db.query<DecisionRow>(`select ${columns} from holdpoint.decisions d where ${where} order by d.decision_id`, [value]);
  return rows;
}

/** Notes that people were reminded of a request, once. @returns whether it still waits */
export async function remind(db: Queryable, opKey: string): Promise<boolean> {
  const { rows } = await db.query<{ waits: boolean }>('select holdpoint.remind($1) as waits', [opKey]);
  return rows[0]?.waits ?? false;
}

/** Asks whether the decision was let in, word for word. @returns undefined where it was not, or is refused by now */
export async function admitted(db: Queryable, { decisionId, opKey, digest, verdict, by, to }: Decision): Promise<Admitted | undefined> {
  const { rows } = await db.query<{ admitted: Admitted | null }>({
    name: 'admitted', text: 'select holdpoint.admitted($1, $2, $3, $4, $5, $6) as admitted', values: [decisionId, opKey, digest, verdict, by, to ?? null],
  });
  return rows[0]?.admitted ?? undefined;
}

/** Which decisions to look for: behind a decision's id, and let in so long ago, in milliseconds, that whoever said them has most likely failed to deliver them. */
export type Undelivered = { readonly after?: number; readonly olderThanMs?: number; readonly limit?: number };

/** `decides`: by what the database knows, the episode would have its decision with this. */
type Brought = { readonly episodeId: string; readonly said: Decision & { readonly decisionId: number }; readonly decides: boolean };

/** What was let in and may not have reached its episode, the oldest first: send each as the update `decide`; one that has arrived is accepted again. At most `limit`, default 1,000. */
export async function undelivered(db: Queryable, { after = 0, olderThanMs = 0, limit = 1_000 }: Undelivered = {}): Promise<readonly Brought[]> {
  const { rows } = await db.query<Brought>(
    `select u.episode_id as "episodeId", u.said, u.decides from holdpoint.undelivered($1, $2 * interval '1 millisecond', $3) u`, [after, olderThanMs, limit]);
  return rows;
}

/** What a person put in place of a proposal: who, the tool that was proposed, and the arguments as JSON text. Undefined where the request was not ended by this edit. */
export async function editOf(db: Queryable, episodeId: string, decisionId: number): Promise<{ readonly person: string; readonly tool: string; readonly arguments: string } | undefined> {
  const { rows } = await db.query<{ person: string; tool: string; arguments: string }>(
    `select d.person, a.tool, d.arguments from holdpoint.decisions d join holdpoint.approvals a on a.op_key = d.op_key and a.digest = d.digest
     where d.decision_id = $2 and d.kind = 'edit' and d.refused is null and a.episode_id = $1 and a.verdict = 'edit' and $2 = any (a.decision_ids)`, [episodeId, decisionId]);
  return rows[0];
}
