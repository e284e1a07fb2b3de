/** The history of one episode for the page: the same entries that `holdpoint audit` prints, each marked as what it was. */
import { requestsOfEpisode } from '../database/approvals.ts';
import { recordOf } from '../database/episode-record.ts';
import { timelineOf, type TimelineEntry } from '../explain/timeline.ts';
import type { Bearer } from './bearer.ts';
import type { InboxParts } from './types.ts';

/** How an entry is marked, never by colour alone. */
type Tone = 'asked' | 'said' | 'refused' | 'changed' | 'committed' | 'ended' | 'done';

/** Undefined where there is no such episode, or the token was not made for its tools. */
export async function historyOf({ pool, episodeLink }: InboxParts, { tools, episodeId }: Bearer & { readonly episodeId: string }): Promise<Record<string, unknown> | undefined> {
  const requests = await requestsOfEpisode(pool, episodeId);
  if (requests.length === 0 || (tools !== null && requests.some((request) => !tools.includes(request.tool)))) return undefined;
  const record = await recordOf(pool, episodeId);
  if (record === undefined) return undefined;
  const outcome = record.episode?.outcome ?? null;
  const entries = timelineOf({ ...record, outcome }).map((entry) => ({ ...entry, tone: toneOf(entry) }));
  return { episodeId, entries, outcome, latest: requests[0]?.opKey ?? null, link: episodeLink(episodeId) };
}

function toneOf({ event }: TimelineEntry): Tone {
  switch (event) {
    case 'proposed': return 'asked';
    case 'world changed': case 'effect': return 'changed';
    case 'committed': return 'committed';
    case 'closed': case 'ended': return 'ended';
    case 'opened': case 'execution started': case 'locked': return 'done';
    default: return event.endsWith('refused') ? 'refused' : 'said';
  }
}
