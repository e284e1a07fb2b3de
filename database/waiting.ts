/** What waits for a decision, chosen by what people look for and seen with one person's eyes, in one query however much it is. */
import { iso, peopleOf, type ApprovalRow } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** A request that waits. Times are ISO 8601, by the database's clock. */
export type WaitingRow = Pick<
  ApprovalRow, 'opKey' | 'worldId' | 'episodeId' | 'digest' | 'proposal' | 'tool' | 'proposer' | 'requestedAt' | 'expiresAt' | 'approvers' | 'assignedTo' | 'needed' | 'unauthenticated'
> & {
  /** Of its episode; null where no episode asked. */
  readonly batchId: string | null;
  /** Who was let in with an approval so far: below `needed`, it waits for more. */
  readonly approvedBy: readonly string[];
  /** Whether the viewer, or the approver that is looked for, may decide it: listed by name or through a group, not the proposer, not passed over by a hand-over. Null where nobody looks. */
  readonly mine: boolean | null;
};

/** What is looked for; what is left out does not matter. */
export type WaitingFilter = {
  readonly tools?: readonly string[];
  /** Somebody who may decide now, and has not approved yet. */
  readonly approver?: string;
  readonly proposer?: string;
  readonly batchId?: string;
  /** The window ends within so many milliseconds. */
  readonly dueWithinMs?: number;
  /** Kept where it occurs in tool, proposal, proposer, episode or approvers, in either case. */
  readonly text?: string;
  /** This request alone. */
  readonly opKey?: string;
};

/** Which part of it is shown, and to whom. `limit`: rows at most, default 1,000. `order`: what is due first (default), or what was asked last. */
export type WaitingView = { readonly viewer?: string; readonly limit?: number; readonly order?: 'soonest' | 'newest' };

/** The rows; how many match in all, more than the rows where the limit cut them; and how many wait about these tools, whatever else is looked for. */
export type Waiting = { readonly rows: readonly WaitingRow[]; readonly total: number; readonly waiting: number };

const sql = `
  with me as (select case when $2::text ~ '^group:' then '{}' else array(select $2::text union all select 'group:' || m.group_name from holdpoint.group_members m where m.person = $2::text) end as names),
  waits as materialized (
    select a.op_key, a.world_id, a.episode_id, a.digest, a.proposal, a.tool, a.proposer, a.requested_at, a.expires_at, a.assigned_to, ${peopleOf('p')} as approvers, coalesce(p.approvals_needed, 1) as needed, coalesce(p.unauthenticated, false) as unauthenticated
    from holdpoint.approvals a
    left join holdpoint.ledger l on l.op_key = a.op_key and l.verdict <> 'rejected'
    left join holdpoint.policies p on p.world_id = a.world_id and p.tool = a.tool
    where a.verdict is null and a.expires_at > clock_timestamp() and l.op_key is null and ($1::text[] is null or a.tool = any ($1)) and ($7::text is null or a.op_key = $7)
  ), kept as materialized (
    select w.*, e.batch_id, s.people, w.approvers && me.names and w.proposer not in ($2, 'person:' || $2) and (w.assigned_to is null or w.assigned_to = any (me.names)) as mine
    from me, waits w
    left join holdpoint.episodes e on e.episode_id = w.episode_id
    cross join lateral (
      select coalesce(array_agg(distinct d.person order by d.person), '{}') as people
      from holdpoint.decisions d where d.op_key = w.op_key and d.digest = w.digest and d.kind = 'approve' and d.refused is null) s
    where ($4::text is null or w.proposer = $4) and ($5::text is null or e.batch_id = $5) and ($6::float8 is null or w.expires_at <= clock_timestamp() + $6 * interval '1 millisecond')
      and ($8 = '' or position(lower($8) in lower(concat_ws(' ', w.tool, w.proposal, w.proposer, w.episode_id, w.assigned_to, array_to_string(w.approvers, ' ')))) > 0)
  ), found as materialized (select k.* from kept k where not $3 or k.mine and $2 <> all (k.people))
  select (select count(*)::int from waits) as waiting, (select count(*)::int from found) as total,
    (select coalesce(jsonb_agg(to_jsonb(r) - 'place' order by r.place), '[]') from (
      select row_number() over (order by case when $9 = 'soonest' then f.expires_at end, case when $9 = 'newest' then f.requested_at end desc, f.op_key) as place,
        f.op_key as "opKey", f.world_id::text as "worldId", f.episode_id as "episodeId", f.digest, f.proposal, f.tool, f.proposer, ${iso('f.requested_at')} as "requestedAt", ${iso('f.expires_at')} as "expiresAt",
        f.approvers, f.assigned_to as "assignedTo", f.needed, f.unauthenticated, f.batch_id as "batchId", f.people as "approvedBy", case when $2 is not null then f.mine end as mine
      from found f order by place limit $10) r) as rows`;

/** One statement, one snapshot; also with the reader's rights. */
export async function waitingRequests(db: Queryable, filter: WaitingFilter = {}, { viewer, limit = 1_000, order = 'soonest' }: WaitingView = {}): Promise<Waiting> {
  const { tools = null, approver = null, proposer = null, batchId = null, dueWithinMs = null, text = '', opKey = null } = filter;
  const { rows } = await db.query<Waiting>({
    name: 'waiting-requests', text: sql, values: [tools, approver ?? viewer ?? null, approver !== null, proposer, batchId, dueWithinMs, opKey, text, order, limit],
  });
  return rows[0] as Waiting;
}
