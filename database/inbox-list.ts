/** The list of what waits, as one person sees it: filtered, ordered, cut to a window, with the counts that a window hides, in one statement. */
import { iso } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** Whose list, and which part of it. */
export type ListQuery = {
  readonly person: string;
  /** The tools that the person's token was made for, or null for any: nothing else is listed. */
  readonly tools: readonly string[] | null;
  /** Only what this person may decide. */
  readonly mine: boolean;
  /** Kept where it occurs in tool, proposal, proposer, episode or approvers, in either case; empty: everything. */
  readonly text: string;
  /** `soonest`: what expires first; `newest`: what was asked last. */
  readonly order: 'soonest' | 'newest';
  /** Rows at most, 1 to 2,000. */
  readonly limit: number;
  /** This request alone. */
  readonly opKey?: string;
};

/** One request of the list. Times are ISO 8601, by the database's clock. */
export type ListedRow = {
  readonly opKey: string; readonly episodeId: string; readonly digest: string; readonly tool: string; readonly proposer: string;
  /** The frozen proposal's canonical text. */
  readonly proposal: string;
  readonly requestedAt: string; readonly expiresAt: string; readonly approvers: readonly string[]; readonly assignedTo: string | null;
  /** How many different people must approve, and who has. */
  readonly needed: number; readonly approvedBy: readonly string[];
  /** Whether this person may decide it: listed, not the proposer, and not passed over by a hand-over. */
  readonly mine: boolean;
};

/** The window, and how much there is: `waiting` in all for this token, `matching` the filter. `now`: the database's clock. */
export type Waiting = { readonly now: string; readonly waiting: number; readonly matching: number; readonly rows: readonly ListedRow[] };

const text = `
  with waits as materialized (
    select a.*, coalesce(p.approvers, '{}') as approvers, coalesce(p.approvals_needed, 1) as needed
    from holdpoint.approvals a left join holdpoint.policies p on p.world_id = a.world_id and p.tool = a.tool
    where a.verdict is null and a.expires_at > clock_timestamp() and ($2::text[] is null or a.tool = any ($2)) and ($7::text is null or a.op_key = $7)
      and not exists (select from holdpoint.ledger l where l.op_key = a.op_key and l.verdict <> 'rejected')
  ), marked as materialized (
    select w.*, holdpoint.is_listed($1, w.approvers) and (w.assigned_to is null or holdpoint.is_listed($1, array[w.assigned_to]))
      and w.proposer <> $1 and w.proposer <> 'person:' || $1 as mine
    from waits w
    where $4 = '' or position(lower($4) in lower(concat_ws(' ', w.tool, w.proposal, w.proposer, w.episode_id, w.assigned_to, array_to_string(w.approvers, ' ')))) > 0
  ), kept as (select m.* from marked m where m.mine or not $3)
  select ${iso('clock_timestamp()')} as now, (select count(*)::int from waits) as waiting, (select count(*)::int from kept) as matching,
    (select coalesce(jsonb_agg(to_jsonb(r) order by r.place), '[]') from (
      select row_number() over (order by case when $5 = 'soonest' then k.expires_at end, case when $5 = 'newest' then k.requested_at end desc, k.op_key) as place,
        k.op_key as "opKey", k.episode_id as "episodeId", k.digest, k.tool, k.proposer, k.proposal, ${iso('k.requested_at')} as "requestedAt", ${iso('k.expires_at')} as "expiresAt",
        k.approvers, k.assigned_to as "assignedTo", k.needed, k.mine,
        array(select distinct d.person from holdpoint.decisions d where d.op_key = k.op_key and d.digest = k.digest and d.kind = 'approve' and d.refused is null) as "approvedBy"
      from kept k order by place limit $6) r) as rows`;

/** What waits, with the worker's rights. */
export async function inboxList(db: Queryable, query: ListQuery): Promise<Waiting> {
  const { rows } = await db.query<Waiting>({
    name: 'inbox-list', text, values: [query.person, query.tools, query.mine, query.text, query.order, query.limit, query.opKey ?? null],
  });
  return rows[0] as Waiting;
}
