/** The manager of the demo: a person with a token, who is heard by the database before the episode hears of it. */
import type { Client } from '@temporalio/client';
import type { Pool } from '../../database/pool.ts';
import { createToken } from '../../database/tokens.ts';
import { say, type Speech } from '../../inbox/decide.ts';
import { UserError } from '../output.ts';

/** Says something about a request, in the name of the token. */
export type Manager = (request: Pick<Speech, 'opKey' | 'digest'>, said: Pick<Speech, 'kind' | 'comment'>) => Promise<void>;

/** Makes her token, with the owner's rights, and lends her voice. `db` has the worker's rights. */
export async function hireManager({ owner, db, client }: { readonly owner: Pool; readonly db: Pool; readonly client: Client }, person: string): Promise<Manager> {
  const { token } = await createToken(owner, { person, scopes: ['view', 'approve', 'reject'], ttlMs: 600_000 });
  return async ({ opKey, digest }, said) => {
    const { result, message } = await say({ client, db, via: 'cli' }, token, { ...said, opKey, digest });
    if (result !== 'accepted') throw new UserError(`The demo's manager was not heard: ${message}`);
  };
}
