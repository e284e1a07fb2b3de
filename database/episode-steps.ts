/** One step of an episode as a row's part: reading it with what was frozen, adding to its memory, asking for a decision about it. */
import type { Proposal } from '../contract/proposal.ts';
import { iso } from './approvals.ts';
import { episodeColumns, type EpisodeRow, type StepEntry } from './episodes.ts';
import type { Queryable } from './pool.ts';

/** A step: the episode's id, and the step's number from 1. */
type Place = { readonly episodeId: string; readonly step: number };

/** The episode, and the frozen proposal of one step as its canonical text: null where nothing was asked yet. */
export type EpisodeAtStep = EpisodeRow & { readonly proposal: string | null };

/** The episode with what its step was frozen to, or undefined. */
export async function episodeAtStep(db: Queryable, episodeId: string, opKey: string): Promise<EpisodeAtStep | undefined> {
  const { rows } = await db.query<EpisodeAtStep>({
    name: 'episode-at-step', values: [episodeId, opKey],
    text: `select ${episodeColumns}, a.proposal from holdpoint.episodes e left join holdpoint.approvals a on a.op_key = $2 where e.episode_id = $1`,
  });
  return rows[0];
}

const note = `update holdpoint.episodes set steps = jsonb_set(steps, array[$2::text], coalesce(steps -> $2::int, '{}') || $3::jsonb, true) where episode_id = $1`;
const noted = (at: Place, entry: Partial<StepEntry>): unknown[] => [at.episodeId, String(at.step - 1), JSON.stringify(entry)];

/** Adds to a step's entry, or makes it; a repeated call writes the same again. */
export async function noteStep(db: Queryable, at: Place, entry: Partial<StepEntry>): Promise<void> {
  await db.query({ name: 'note-step', text: note, values: noted(at, entry) });
}

/** A request to make. `proposalText` is the proposal's canonical text and `digest` the text's. */
export type NewRequest = { readonly opKey: string; readonly worldId: string; readonly digest: string; readonly proposalText: string; readonly proposal: Proposal };

/**
 * Adds to a step's entry as noteStep does and asks for a decision as insertRequest does, in one statement: a worker that dies leaves both or neither.
 * @returns until when and by whom it can be decided, or undefined where the step had a request already, which stays as it is
 */
export async function askForStep(db: Queryable, at: Place, { entry, request }: { entry: Partial<StepEntry>; request: NewRequest }): Promise<{ expiresAt: string; approvers: readonly string[] } | undefined> {
  const { opKey, worldId, digest, proposalText, proposal } = request;
  const { rows } = await db.query<{ expiresAt: string; approvers: string[] }>({
    name: 'ask-for-step',
    text: `with noted as (${note}), asked as (
       insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
       values ($4, $5, $1, $6, $7, $8, $9, clock_timestamp() + $10 * interval '1 millisecond') on conflict do nothing returning world_id, tool, expires_at)
     select ${iso('a.expires_at')} as "expiresAt", coalesce(p.approvers, '{}') as approvers from asked a left join holdpoint.policies p using (world_id, tool)`,
    values: [...noted(at, entry), opKey, worldId, digest, proposalText, proposal.tool, proposal.proposer, proposal.windowMs],
  });
  return rows[0];
}
