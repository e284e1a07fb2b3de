/** What people say about requests through authenticated doors: let in or refused by the database, and kept either way. */
import type { Reason } from '../contract/failures.ts';
import type { Queryable } from './pool.ts';

/** What may be said. `remind` is the engine's. */
export type SaidKind = 'approve' | 'reject' | 'edit' | 'comment' | 'escalate';

/** One thing that somebody says about one proposal, named by op key and digest. `arguments`: of an edit, as JSON text; `to`: of an escalation, a person or `group:<name>`. */
export type Said = {
  readonly kind: SaidKind;
  readonly opKey: string;
  readonly digest: string;
  readonly via: 'cli' | 'inbox';
  readonly comment: string;
  readonly arguments?: string;
  readonly to?: string;
};

/**
 * The database's answer. Let in: `proof` opens the episode's door, `approvals` of `needed` people have approved. Refused: `verdict` and `by` are what stands
 * already, where something does.
 */
export type Heard =
  | { readonly decisionId: number; readonly person: string; readonly proof: string; readonly episodeId: string; readonly approvals: number; readonly needed: number }
  | { readonly refused: Reason; readonly decisionId: number; readonly person: string; readonly verdict: string | null; readonly by: string | null };

/** Says it in the name of the token whose SHA-256 is given. One statement: the request's row is locked, and whoever speaks second hears what the first one said. */
export async function hear(db: Queryable, tokenHash: string, said: Said): Promise<Heard> {
  const { rows } = await db.query<{ heard: Heard }>({ name: 'hear', text: 'select holdpoint.hear($1, $2::jsonb) as heard', values: [tokenHash, JSON.stringify(said)] });
  const [row] = rows;
  if (row === undefined) throw new TypeError('The database said nothing.');
  return row.heard;
}

/** Notes that the episode did not take in what the database had let in. Once; a repeated call changes nothing. */
export async function notTaken(db: Queryable, decisionId: number, reason: Reason): Promise<void> {
  await db.query('select holdpoint.not_taken($1, $2)', [decisionId, reason]);
}
