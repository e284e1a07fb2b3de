/** One request as a person sees it before they decide: what is proposed, what it would change now, what changed since the model looked, and what was said. */
import type { Preview } from '../contract/preview.ts';
import { Proposal } from '../contract/proposal.ts';
import { requestOf } from '../database/approvals.ts';
import { decisionsOf } from '../database/decisions.ts';
import { episodeOf } from '../database/episodes.ts';
import { changesSince, toolWords } from '../database/look.ts';
import { refusalsOf } from '../database/refusals.ts';
import { waitingRequests } from '../database/waiting.ts';
import { epochOf } from '../database/worlds.ts';
import type { Bearer } from './bearer.ts';
import { forecastOf } from './forecast.ts';
import type { InboxParts } from './types.ts';

/** Previews by request and epoch: while nothing was written to the world, the same change would be made, so that a poll locks nothing. */
export type PreviewCache = Map<string, Promise<Preview | null>>;

const mostCached = 200;

/** Undefined where there is no such request, or the token was not made for its tool. */
export async function detailOf(parts: InboxParts, { person, tools, opKey, cache }: Bearer & { readonly opKey: string; readonly cache: PreviewCache }): Promise<Record<string, unknown> | undefined> {
  const request = await requestOf(parts.pool, opKey);
  if (request === undefined || (tools !== null && !tools.includes(request.tool))) return undefined;
  const proposal = Proposal.parse(JSON.parse(request.proposal));
  const [epoch, changes, said, refusals, episode, waiting] = await Promise.all([
    epochOf(parts.pool, request.worldId), changesSince(parts.pool, request.worldId, proposal), decisionsOf(parts.pool, { opKey }), refusalsOf(parts.pool, opKey), episodeOf(parts.pool, request.episodeId),
    waitingRequests(parts.pool, { opKey }, { viewer: person, limit: 1 }),
  ]);
  const guard = { kind: episode?.guard ?? 'predicate', without: [...(episode?.without ?? [])] };
  const preview = request.live ? await cached(cache, `${opKey} ${epoch}`, () => parts.preview(request.worldId, proposal)) : null;
  const { verdict, decidedBy, decidedAt, via, comment, live, requestedAt, expiresAt, approvers, assignedTo, needed, episodeId, digest, tool, proposer } = request;
  return {
    request: { opKey, episodeId, digest, tool, proposer, requestedAt, expiresAt, verdict, decidedBy, decidedAt, via, comment, live, approvers, assignedTo, needed },
    approvedBy: waiting.rows[0]?.approvedBy ?? [], mine: waiting.rows[0]?.mine ?? false,
    proposal, instruction: episode === undefined ? null : parts.instructionOf(episode.caseId), guard,
    tool: toolWords(proposal.tool), changes, forecast: live ? forecastOf(guard, preview) : null, preview, said, refusals, link: parts.episodeLink(episodeId),
  };
}

function cached(cache: PreviewCache, key: string, make: () => Promise<Preview>): Promise<Preview | null> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make().catch((error: unknown) => {
    if (error instanceof TypeError) return null; // a tool that this version does not know
    throw error;
  });
  // What is busy now is not busy for ever.
  made.then((preview) => preview?.change.state === 'busy' && cache.delete(key), () => cache.delete(key));
  cache.set(key, made);
  const [oldest] = cache.keys();
  if (cache.size > mostCached && oldest !== undefined) cache.delete(oldest);
  return made;
}
