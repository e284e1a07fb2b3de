/** Finds the request that somebody means. */
import { requestsOfEpisode, type ApprovalRow } from '../../database/approvals.ts';
import type { Queryable } from '../../database/pool.ts';
import { printable, UserError } from '../output.ts';

/** The one with the digest, live before ended; else the latest. One that no request has is kept: whoever decides by it is told that it is stale. @throws UserError */
export async function meant(db: Queryable, episodeId: string, digest: string | undefined): Promise<ApprovalRow> {
  const rows = await requestsOfEpisode(db, episodeId);
  const request = rows.find((row) => row.digest === digest && row.live) ?? rows.find((row) => row.digest === digest) ?? rows[0];
  if (request === undefined) throw new UserError(`No episode "${printable(episodeId)}" has asked for approval: \`holdpoint approvals\` lists what waits.`);
  return request;
}
