/** What waits for a decision, chosen by what people look for, in one query however much it is. */
import { iso, type ApprovalRow } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** A request that waits. */
export type WaitingRow = Pick<
  ApprovalRow, 'opKey' | 'worldId' | 'episodeId' | 'digest' | 'proposal' | 'tool' | 'proposer' | 'requestedAt' | 'expiresAt' | 'approvers' | 'assignedTo' | 'needed' | 'unauthenticated'
> & {
  /** Of its episode; null where no episode asked. */
  readonly batchId: string | null;
  /** Who was let in with an approval so far: below `needed`, it waits for more. */
  readonly approvedBy: readonly string[];
};

/** What is looked for; what is left out does not matter. */
export type WaitingFilter = {
  readonly tools?: readonly string[];
  /** Somebody who may decide now: listed by name or through a group, not the proposer, not passed over by a hand-over, and has not approved yet. */
  readonly approver?: string;
  readonly proposer?: string;
  readonly batchId?: string;
  /** The window ends within so many milliseconds. */
  readonly dueWithinMs?: number;
};

/** The rows, and how many there are in all: more than the rows where the limit cut them. */
export type Waiting = { readonly rows: readonly WaitingRow[]; readonly total: number };

const sql = `
  with me as (select case when $2::text ~ '^group:' then '{}' else array(select $2::text union all select 'group:' || m.group_name from holdpoint.group_members m where m.person = $2::text) end as names)
  select a.op_key as "opKey", a.world_id as "worldId", a.episode_id as "episodeId", a.digest, a.proposal, a.tool, a.proposer, ${iso('a.requested_at')} as "requestedAt", ${iso('a.expires_at')} as "expiresAt",
    coalesce(p.approvers, '{}') as approvers, a.assigned_to as "assignedTo", coalesce(p.approvals_needed, 1) as needed, coalesce(p.unauthenticated, false) as unauthenticated,
    e.batch_id as "batchId", s.people as "approvedBy", count(*) over ()::int as total
  from me, holdpoint.approvals a
  left join holdpoint.ledger l on l.op_key = a.op_key and l.verdict <> 'rejected'
  left join holdpoint.policies p on p.world_id = a.world_id and p.tool = a.tool
  left join holdpoint.episodes e on e.episode_id = a.episode_id
  cross join lateral (
    select coalesce(array_agg(distinct d.person order by d.person), '{}') as people
    from holdpoint.decisions d where d.op_key = a.op_key and d.digest = a.digest and d.kind = 'approve' and d.refused is null) s
  where a.verdict is null and a.expires_at > clock_timestamp() and l.op_key is null
    and ($1::text[] is null or a.tool = any ($1)) and ($3::text is null or a.proposer = $3) and ($4::text is null or e.batch_id = $4)
    and ($5::float8 is null or a.expires_at <= clock_timestamp() + $5 * interval '1 millisecond')
    and ($2::text is null or p.approvers && me.names and a.proposer not in ($2, 'person:' || $2) and (a.assigned_to is null or a.assigned_to = any (me.names)) and $2 <> all (s.people))
  order by a.expires_at, a.op_key limit $6`;

/** What is due first comes first. One statement, one snapshot; also with the reader's rights. */
export async function waitingRequests(db: Queryable, filter: WaitingFilter = {}, limit = 1000): Promise<Waiting> {
  const { tools = null, approver = null, proposer = null, batchId = null, dueWithinMs = null } = filter;
  const { rows } = await db.query<WaitingRow & { total: number }>({ name: 'waiting-requests', text: sql, values: [tools, approver, proposer, batchId, dueWithinMs, limit] });
  const split = rows.map(({ total, ...row }) => ({ total, row }));
  return { rows: split.map(({ row }) => row), total: split[0]?.total ?? 0 };
}
