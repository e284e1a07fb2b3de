/** The manager of the demo: a person with a token, who is heard by the database before the episode hears of it. */
import type { Client } from '@temporalio/client';
import { hear, type Said } from '../../database/decisions.ts';
import type { Pool } from '../../database/pool.ts';
import { createToken, tokenHash } from '../../database/tokens.ts';
import type { Accepted, episode } from '../../workflows/index.ts';
import { UserError } from '../output.ts';

/** Says something about a request, in the name of the token. */
export type Manager = (request: { readonly episodeId: string; readonly opKey: string; readonly digest: string }, said: { readonly kind: 'approve' | 'reject'; readonly comment: string }) => Promise<void>;

/** Makes her token, with the owner's rights, and lends her voice. */
export async function hireManager({ owner, client }: { readonly owner: Pool; readonly client: Client }, person: string): Promise<Manager> {
  const { token } = await createToken(owner, { person, scopes: ['view', 'approve', 'reject'], ttlMs: 600_000 });
  return async ({ episodeId, opKey, digest }, { kind, comment }) => {
    const said: Said = { kind, opKey, digest, via: 'cli', comment };
    const heard = await hear(owner, tokenHash(token), said);
    if ('refused' in heard || heard.proof === null) throw new UserError(`The demo's manager was refused${'refused' in heard ? `: ${heard.refused}` : ''}.`);
    const decision = { opKey, digest, verdict: kind, by: heard.person, comment, decisionId: heard.decisionId, proof: heard.proof };
    await client.workflow.getHandle<typeof episode>(episodeId).executeUpdate<Accepted, [typeof decision]>('decide', { args: [decision] });
  };
}
