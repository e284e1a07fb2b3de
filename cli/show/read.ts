/** Everything about one request that somebody who decides wants to see. */
import { rollbackTool } from '../../contract/names.ts';
import type { Preview } from '../../contract/preview.ts';
import { Proposal } from '../../contract/proposal.ts';
import { requestsOfEpisode, type ApprovalRow } from '../../database/approvals.ts';
import { decisionsOf, type DecisionRow } from '../../database/decisions.ts';
import { checkWorlds, type Check } from '../../database/frozen/check.ts';
import type { Pool } from '../../database/pool.ts';
import { previewProposal } from '../../database/preview.ts';
import { callInWords } from '../../database/tool-facts.ts';
import { versionsNow, type RowSince } from '../../database/versions-now.ts';
import { meant } from '../deciding/request.ts';

/** A request, what it rests on, and what was said. */
export type Shown = {
  readonly request: ApprovalRow;
  readonly proposal: Proposal;
  /** The call in words, a line each. */
  readonly words: readonly string[];
  readonly rows: readonly RowSince[];
  /** What the tool's clauses say at this moment; null where the tool is not known or does not take the arguments. */
  readonly check: Check | null;
  /** Of a rollback that waits: what it would change at this moment. */
  readonly preview: Preview | null;
  readonly said: readonly DecisionRow[];
  /** The episode's other requests, the latest first. */
  readonly others: readonly ApprovalRow[];
};

/** Reads it, with the worker's rights. @throws UserError where the episode never asked */
export async function readShown(db: Pool, episodeId: string, digest: string | undefined): Promise<Shown> {
  const request = await meant(db, episodeId, digest);
  const proposal = Proposal.parse(JSON.parse(request.proposal));
  const { tool, arguments: args, readSet } = proposal;
  const [rows, said, requests, preview, check] = await Promise.all([
    versionsNow(db, request.worldId, readSet), decisionsOf(db, { opKey: request.opKey }), requestsOfEpisode(db, episodeId),
    tool === rollbackTool && request.live ? previewProposal(db, request.worldId, proposal) : null,
    checkWorlds(db, [request.worldId], { tool, args }).then(([first]) => first ?? null, (error: unknown) => {
      if (error instanceof TypeError) return null;
      throw error;
    }),
  ]);
  return { request, proposal, words: callInWords(proposal), rows, check, preview, said, others: requests.filter((other) => other.opKey !== request.opKey) };
}
