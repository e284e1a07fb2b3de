/** Requests for approval of one frozen proposal in many worlds, in one statement. */
import { canonicalText } from '../../contract/digest.ts';
import { proposalDigest, type Proposal } from '../../contract/proposal.ts';
import type { Queryable } from '../pool.ts';

/** Where a proposal is asked for: the op key is of this world alone. */
export type RequestPlace = { readonly worldId: string; readonly opKey: string; readonly episodeId: string };

/** Asks for a decision about the proposal in each place, as insertRequest does in one. The text and its digest are the same in all: no world is named in them. */
export async function insertRequests(db: Queryable, places: readonly RequestPlace[], proposal: Proposal): Promise<void> {
  await db.query({
    name: 'insert-requests',
    text: `insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
      select u.op_key, u.world_id, u.episode_id, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 millisecond'
      from unnest($1::text[], $2::bigint[], $3::text[]) u (op_key, world_id, episode_id)`,
    values: [
      places.map((place) => place.opKey), places.map((place) => place.worldId), places.map((place) => place.episodeId),
      proposalDigest(proposal), canonicalText(proposal), proposal.tool, proposal.proposer, proposal.windowMs,
    ],
  });
}
