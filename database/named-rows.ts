/** Whether the rows that a call names are there, before somebody puts that call in place of a proposal. */
import type { Proposal } from '../contract/proposal.ts';
import { toolContract } from '../guards/tools/index.ts';
import type { Queryable } from './pool.ts';
import { versionsNow } from './versions-now.ts';

/**
 * The first row that an argument names and the world does not have, in a few words, or null. Of the tool's locks, because each of them must be there for a commit.
 * Old as soon as it is there: nothing is locked, and the commit looks again.
 */
export async function missingRow(db: Queryable, worldId: string, { tool, arguments: args }: Pick<Proposal, 'tool' | 'arguments'>): Promise<string | null> {
  const named = (toolContract(tool)?.locks ?? []).flatMap(({ table, key }) =>
    ('argument' in key ? [{ argument: key.argument, table, key: String(args[key.argument]), version: '0' }] : []));
  const found = await versionsNow(db, worldId, named);
  const gone = named[found.findIndex((row) => row.now === null)];
  return gone === undefined ? null : `${gone.argument} names no row that is there (${gone.table} ${JSON.stringify(gone.key)})`;
}
