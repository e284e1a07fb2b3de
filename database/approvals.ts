/** Requests for approval as rows: asking, reading what waits, recording what was decided or refused. */
import type { Approval } from '../contract/approval.ts';
import { simulatedApprover } from '../contract/names.ts';
import type { Proposal } from '../contract/proposal.ts';
import type { Queryable } from './pool.ts';
import { isStorable, storable } from './storable.ts';

/** A request as it stands. Times are ISO 8601, by the database's clock. */
export type ApprovalRow = {
  readonly opKey: string;
  readonly worldId: string;
  readonly episodeId: string;
  readonly digest: string;
  /** The frozen proposal's canonical text: what is shown is what is digested. */
  readonly proposal: string;
  readonly tool: string;
  readonly proposer: string;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly verdict: Approval['verdict'] | null;
  readonly decidedBy: string | null;
  readonly via: string | null;
  readonly comment: string;
  readonly decidedAt: string | null;
  /** Whether the window is still open and the step neither committed nor given up. */
  readonly live: boolean;
  /** Who can be asked: the names on the world's policy row for this tool without the simulated approver, and `group:<name>` for the people of a group. */
  readonly approvers: readonly string[];
  /** What the database let in for the decision that stands; null where nothing proves who made it (`via` says which door it came through). */
  readonly decisionIds: readonly number[] | null;
  /** Where it was handed on: a person, or `group:<name>`; only they decide then. */
  readonly assignedTo: string | null;
  /** How many different people must approve, by the policy as it is. */
  readonly needed: number;
  /** Whether a decision that proves nothing of its sender counts, by the policy as it is. */
  readonly unauthenticated: boolean;
};

/** Who can be asked, of a policy that may not be there: everybody on its list but the simulated approver, who decides for the engine only. */
export const peopleOf = (policy: string): string => `array_remove(coalesce(${policy}.approvers, '{}'), '${simulatedApprover}')`;

/** A column as ISO 8601 text in UTC, with milliseconds. */
export const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const columns = `a.op_key as "opKey", a.world_id as "worldId", a.episode_id as "episodeId", a.digest, a.proposal, a.tool, a.proposer,
  ${iso('a.requested_at')} as "requestedAt", ${iso('a.expires_at')} as "expiresAt", a.verdict, a.decided_by as "decidedBy", a.via, a.comment, ${iso('a.decided_at')} as "decidedAt",
  a.verdict is null and a.expires_at > clock_timestamp() and l.op_key is null as live, ${peopleOf('p')} as approvers,
  a.decision_ids::float8[] as "decisionIds", a.assigned_to as "assignedTo", coalesce(p.approvals_needed, 1) as needed, coalesce(p.unauthenticated, false) as unauthenticated`;
const joins = `from holdpoint.approvals a left join holdpoint.ledger l on l.op_key = a.op_key and l.verdict <> 'rejected' left join holdpoint.policies p on p.world_id = a.world_id and p.tool = a.tool`;

/** Asks for a decision, once: a repeated call leaves the first request as it is. */
export async function insertRequest(
  db: Queryable,
  request: { readonly opKey: string; readonly worldId: string; readonly episodeId: string; readonly digest: string; readonly proposalText: string; readonly proposal: Proposal },
): Promise<void> {
  const { proposal } = request;
  await db.query(
    `insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 millisecond') on conflict do nothing`,
    [request.opKey, request.worldId, request.episodeId, request.digest, request.proposalText, proposal.tool, proposal.proposer, proposal.windowMs],
  );
}

/** The request of an op key, or undefined; whatever text was asked for. */
export async function requestOf(db: Queryable, opKey: string): Promise<ApprovalRow | undefined> {
  if (!isStorable(opKey)) return undefined;
  const { rows } = await db.query<ApprovalRow>({ name: 'approval-of', text: `select ${columns} ${joins} where a.op_key = $1`, values: [opKey] });
  return rows[0];
}

/** The episode's requests, the latest step first; none for a text that no id can be. */
export async function requestsOfEpisode(db: Queryable, episodeId: string): Promise<readonly ApprovalRow[]> {
  if (!isStorable(episodeId)) return [];
  const { rows } = await db.query<ApprovalRow>(`select ${columns} ${joins} where starts_with(a.op_key, $1 || ':') and a.episode_id = $1 order by a.requested_at desc`, [episodeId]);
  return rows;
}

/** What waits for a decision, the oldest first. */
export async function pendingRequests(db: Queryable, limit = 1000): Promise<readonly ApprovalRow[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select ${columns} ${joins} where a.verdict is null and a.expires_at > clock_timestamp() and l.op_key is null order by a.requested_at limit $1`,
    [limit],
  );
  return rows;
}

/** Records the one decision of a request. @returns the verdict that stands, or null where there is no such request or its key was closed undecided */
export async function recordDecision(db: Queryable, decision: Approval): Promise<string | null> {
  const { rows } = await db.query<{ verdict: string | null }>('select holdpoint.decide($1, $2, $3, $4, $5, $6, $7) as verdict', [
    decision.opKey, decision.digest, decision.verdict, decision.by, decision.via, decision.comment, decision.decisionIds ?? null,
  ]);
  return rows[0]?.verdict ?? null;
}

/** A refused decision as it is kept. `id` is the same on every retry. */
export type RefusalRow = { readonly id: string; readonly opKey: string; readonly digest: string; readonly verdict: string; readonly by: string; readonly via: string; readonly reason: string };

/** Keeps refused decisions, each once, in one statement. */
export async function insertRefusals(db: Queryable, refusals: readonly RefusalRow[]): Promise<void> {
  const column = (pick: (row: RefusalRow) => string): string[] => refusals.map((row) => storable(pick(row)).slice(0, 2000));
  await db.query(
    `insert into holdpoint.decision_refusals (refusal_id, op_key, digest, verdict, said_by, via, reason)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) on conflict do nothing`,
    [column((r) => r.id), column((r) => r.opKey), column((r) => r.digest), column((r) => r.verdict), column((r) => r.by), column((r) => r.via), column((r) => r.reason)],
  );
}

