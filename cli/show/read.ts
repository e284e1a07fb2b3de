/** Everything about one request that somebody who decides wants to see. */
import { Proposal } from '../../contract/proposal.ts';
import { requestsOfEpisode, type ApprovalRow } from '../../database/approvals.ts';
import { decisionsOf, type DecisionRow } from '../../database/decisions.ts';
import { checkWorlds, type Check } from '../../database/frozen/check.ts';
import type { Queryable } from '../../database/pool.ts';
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
  readonly said: readonly DecisionRow[];
  /** The episode's other requests, the latest first. */
  readonly others: readonly ApprovalRow[];
};

/** Reads it, with the worker's rights. @throws UserError where the episode never asked */
export async function readShown(db: Queryable, episodeId: string, digest: string | undefined): Promise<Shown> {
  const request = await meant(db, episodeId, digest);
  const proposal = Proposal.parse(JSON.parse(request.proposal));
  const { tool, arguments: args, readSet } = proposal;
  const [rows, said, requests, check] = await Promise.all([
    versionsNow(db, request.worldId, readSet), decisionsOf(db, { opKey: request.opKey }), requestsOfEpisode(db, episodeId),
    checkWorlds(db, [request.worldId], { tool, args }).then(([first]) => first ?? null, (error: unknown) => {
      if (error instanceof TypeError) return null;
      throw error;
    }),
  ]);
  return { request, proposal, words: callInWords(proposal), rows, check, said, others: requests.filter((other) => other.opKey !== request.opKey) };
}
