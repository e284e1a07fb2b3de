/** Tokens that say who somebody is, and groups of people: made with the owner's rights, looked up by the worker through one function. */
import { createHash, randomBytes } from 'node:crypto';
import type { SaidKind } from './decisions.ts';
import type { Queryable } from './pool.ts';
import { isStorable } from './storable.ts';

/** What a token may be good for. `view`: to look; the rest is what may be said. */
export type Scope = 'view' | SaidKind;
export const scopes: readonly Scope[] = ['view', 'approve', 'reject', 'edit', 'comment', 'escalate'];

/** A token without its secret, which nobody can read again. Times are ISO 8601, by the database's clock. */
export type TokenRow = {
  readonly tokenId: string;
  readonly person: string;
  readonly scopes: readonly Scope[];
  /** Null: any tool that a policy lets the person decide about. */
  readonly tools: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** Neither revoked nor expired. */
  readonly inForce: boolean;
};

/** A token to make. `ttlMs`: how long it is good for, in milliseconds, from 1 second to 366 days. */
export type NewToken = { readonly person: string; readonly scopes: readonly Scope[]; readonly tools?: readonly string[]; readonly ttlMs: number };

const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const columns = `t.token_id as "tokenId", t.person, t.scopes, t.tools, ${iso('t.created_at')} as "createdAt", ${iso('t.expires_at')} as "expiresAt", ${iso('t.revoked_at')} as "revokedAt",
  t.revoked_at is null and t.expires_at > clock_timestamp() as "inForce"`;

/** The SHA-256 by which a token is known, as 64 hexadecimal digits. The token itself, `hp_<id>_<secret>`, never reaches the database. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** What is wrong with a person's or a group's name, in words, or null. Names are compared letter for letter, so what cannot be seen is refused. */
export function nameProblem(name: string): string | null {
  if (name === '' || name.length > 200) return 'A name has 1 to 200 characters.';
  if (!isStorable(name) || name !== name.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'A name has no space around it and nothing in it that cannot be seen.';
  if (name !== name.normalize('NFC')) return 'A name is written in composed characters (Unicode NFC).';
  if (/^(agent|person|group|token|auto|engine)(:|$)/i.test(name)) return 'This name, or what it begins with, is the engine\'s own.';
  return null;
}

/**
 * Makes a token, with the owner's rights. 256 random bits; the text is returned this once and kept nowhere.
 * @throws RangeError in one sentence for a name, scope or lifetime that cannot be
 */
export async function createToken(owner: Queryable, { person, scopes: wanted, tools, ttlMs }: NewToken): Promise<{ readonly token: string; readonly row: TokenRow }> {
  const problem = nameProblem(person);
  if (problem !== null) throw new RangeError(problem);
  if (wanted.length === 0 || wanted.some((scope) => !scopes.includes(scope))) throw new RangeError(`A token is good for some of: ${scopes.join(', ')}.`);
  if (!(ttlMs >= 1_000 && ttlMs <= 366 * 86_400_000)) throw new RangeError('A token is good for 1 second to 366 days.');
  const tokenId = randomBytes(6).toString('hex');
  const token = `hp_${tokenId}_${randomBytes(32).toString('base64url')}`;
  const { rows } = await owner.query<TokenRow>(
    `insert into holdpoint.tokens as t (token_id, hash, person, scopes, tools, expires_at) values ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond') returning ${columns}`,
    [tokenId, tokenHash(token), person, [...new Set(wanted)], tools ?? null, ttlMs],
  );
  return { token, row: rows[0] as TokenRow };
}

/** All tokens, the newest first; also with the reader's rights. */
export async function listTokens(db: Queryable): Promise<readonly TokenRow[]> {
  const { rows } = await db.query<TokenRow>(`select ${columns} from holdpoint.tokens t order by t.created_at desc, t.token_id`);
  return rows;
}

/** Takes a token out of force for good: what it approved and is not committed yet is denied. @returns the token, or undefined where there is none of this id */
export async function revokeToken(owner: Queryable, tokenId: string): Promise<TokenRow | undefined> {
  const { rows } = await owner.query<TokenRow>(`update holdpoint.tokens t set revoked_at = coalesce(revoked_at, clock_timestamp()) where token_id = $1 returning ${columns}`, [tokenId]);
  return rows[0];
}

/** Who a token's bearer is, with the worker's rights; undefined where the token is unknown, revoked or expired. */
export async function identify(db: Queryable, hash: string): Promise<Pick<TokenRow, 'tokenId' | 'person' | 'scopes' | 'tools' | 'expiresAt'> | undefined> {
  const { rows } = await db.query<Pick<TokenRow, 'tokenId' | 'person' | 'scopes' | 'tools' | 'expiresAt'>>(
    `select t.token_id as "tokenId", t.person, t.scopes, t.tools, ${iso('t.expires_at')} as "expiresAt" from holdpoint.bearer($1) t`, [hash]);
  return rows[0];
}
