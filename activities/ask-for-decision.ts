/** Puts a frozen proposal before people, and tells the episode what its hold has to know of the request. */
import { canonicalText, digestOfText } from '../contract/digest.ts';
import { opKeyOf } from '../contract/names.ts';
import { Proposal } from '../contract/proposal.ts';
import { visibleText } from '../contract/visible-text.ts';
import { askedBefore, askForStep, type Asked } from '../database/episode-steps.ts';
import type { EpisodeRow, StepEntry } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import type { Proposed } from './types.ts';

/** Freezes a step's proposal and asks people for a decision about exactly that, once: where a request stands, it stays as it is. */
export async function askFor(pool: Pool, at: { readonly episodeId: string; readonly step: number }, { episode, entry, proposal }: { episode: EpisodeRow; entry: Partial<StepEntry>; proposal: Proposal }): Promise<Proposed> {
  const opKey = opKeyOf(at.episodeId, at.step);
  const proposalText = canonicalText(proposal);
  const digest = digestOfText(proposalText);
  const asked = await askForStep(pool, at, { entry, request: { opKey, worldId: episode.worldId, digest, proposalText, proposal } });
  return asked === undefined ? standing(pool, opKey) : waiting({ opKey, digest, ...asked }, proposal);
}

/** The request that an earlier or faster call made. */
export async function standing(pool: Pool, opKey: string): Promise<Proposed> {
  const asked = await askedBefore(pool, opKey);
  if (asked === undefined) throw new TypeError(`The request ${opKey} vanished.`);
  const { proposal, ...request } = asked;
  return waiting(request, Proposal.parse(JSON.parse(proposal)));
}

type Waiting = Asked & { readonly opKey: string; readonly digest: string; readonly assignedTo?: string | null };

function waiting(request: Waiting, { tool, proposer, arguments: args, readSet, allowedStates }: Proposal): Proposed {
  const basis = `${readSet.map((row) => `${row.table}/${row.key} version ${row.version}`).join(', ')}; allowed while ${allowedStates.join(' or ')}`;
  return { kind: 'act', ...request, tool, proposer, summary: visibleText(`${tool} ${JSON.stringify(args)}`).slice(0, 600), basis: visibleText(basis).slice(0, 600) };
}
