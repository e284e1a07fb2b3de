/** One step of an episode as a row's part: reading it with what was frozen, adding to its memory, asking for a decision about it. */
import type { Proposal } from '../contract/proposal.ts';
import { iso, type ApprovalRow } from './approvals.ts';
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

/** What a hold has to know of its request: until when it can be decided, by whom, by how many, and whether a name without proof counts. */
export type Asked = {
  readonly expiresAt: string; readonly approvers: readonly string[]; readonly needed: number; readonly unauthenticated: boolean;
};

const doorColumns = `coalesce(p.approvers, '{}') as approvers, coalesce(p.approvals_needed, 1) as needed, coalesce(p.unauthenticated, false) as unauthenticated`;

/** The same of a request that stands, and where it was handed on to. */
export async function askedBefore(db: Queryable, opKey: string): Promise<(Asked & Pick<ApprovalRow, 'opKey' | 'digest' | 'proposal' | 'assignedTo'>) | undefined> {
  const { rows } = await db.query<Asked & Pick<ApprovalRow, 'opKey' | 'digest' | 'proposal' | 'assignedTo'>>({
    name: 'asked-before', values: [opKey],
    text: `select a.op_key as "opKey", a.digest, a.proposal, a.assigned_to as "assignedTo", ${iso('a.expires_at')} as "expiresAt", ${doorColumns}
     from holdpoint.approvals a left join holdpoint.policies p using (world_id, tool) where a.op_key = $1`,
  });
  return rows[0];
}

/**
 * Adds to a step's entry as noteStep does and asks for a decision as insertRequest does, in one statement: a worker that dies leaves both or neither.
 * @returns what its hold has to know, or undefined where the step had a request already, which stays as it is
 */
export async function askForStep(db: Queryable, at: Place, { entry, request }: { entry: Partial<StepEntry>; request: NewRequest }): Promise<Asked | undefined> {
  const { opKey, worldId, digest, proposalText, proposal } = request;
  const { rows } = await db.query<Asked>({
    name: 'ask-for-step',
    text: `with noted as (${note}), asked as (
       insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
       values ($4, $5, $1, $6, $7, $8, $9, clock_timestamp() + $10 * interval '1 millisecond') on conflict do nothing returning world_id, tool, expires_at)
     select ${iso('a.expires_at')} as "expiresAt", ${doorColumns} from asked a left join holdpoint.policies p using (world_id, tool)`,
    values: [...noted(at, entry), opKey, worldId, digest, proposalText, proposal.tool, proposal.proposer, proposal.windowMs],
  });
  return rows[0];
}
