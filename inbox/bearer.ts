/** Who asks: the bearer of the session's token, looked up anew at every request, so that a revoked token is out at once. */
import { identify, type TokenRow } from '../database/tokens.ts';
import type { Queryable } from '../database/pool.ts';

/** Somebody signed in. */
export type Bearer = Pick<TokenRow, 'tokenId' | 'person' | 'scopes' | 'tools' | 'expiresAt'>;

/** Undefined where the token is unknown, expired, revoked, or not good for looking. */
export async function bearerOf(db: Queryable, tokenHash: string): Promise<Bearer | undefined> {
  const bearer = await identify(db, tokenHash);
  return bearer?.scopes.includes('view') === true ? bearer : undefined;
}
