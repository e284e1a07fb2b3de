/** One episode's decision boundary and everything that was said about it, for whoever must explain it afterwards. */
import type { BoundaryRow, WorldChange } from '../contract/episode-facts.ts';
import type { Reason } from '../contract/failures.ts';
import { iso } from './approvals.ts';
import type { Queryable } from './pool.ts';

const times = ['proposed_at', 'expires_at', 'decided_at', 'execution_started_at', 'lock_requested_at', 'locked_at', 'ended_at', 'closed_at'];
const plain = ['step', 'tool', 'digest', 'proposer', 'decision', 'decided_by', 'identity', 'via', 'outcome', 'reason', 'disposition', 'refused_by', 'asked', 'clauses', 'call', 'attempts', 'rows'];
const asText = ['op_key', 'episode_id', 'epoch_read', 'epoch_found', 'ledger_id', 'closed_reason'];
const camel = (column: string): string => `"${column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}"`;
const columns = [...plain.map((name) => `b.${name} as ${camel(name)}`), ...asText.map((name) => `b.${name}::text as ${camel(name)}`), ...times.map((name) => `${iso(`b.${name}`)} as ${camel(name)}`)].join(', ');

/** The steps of an episode, the first one first. */
export async function boundaryOf(db: Queryable, episodeId: string): Promise<readonly BoundaryRow[]> {
  return boundariesOf(db, [episodeId]);
}

/** The steps of some episodes, each one's first step first. */
export async function boundariesOf(db: Queryable, episodeIds: readonly string[]): Promise<readonly BoundaryRow[]> {
  const { rows } = await db.query<BoundaryRow>(`select ${columns} from holdpoint.decision_boundary b where b.episode_id = any ($1::text[]) order by b.step, b.op_key`, [episodeIds]);
  return rows;
}

/** One thing that somebody said about a step, let in or refused, through any door that keeps it. */
export type SaidEntry = {
  readonly at: string; readonly opKey: string; readonly kind: string; readonly person: string;
  /** `token:<id>`, `engine`, `unauthenticated` where the door proves nothing, or empty where a token was not one. */
  readonly identity: string;
  readonly via: string; readonly digest: string; readonly comment: string; readonly arguments: string | null; readonly assignedTo: string | null; readonly refused: Reason | null;
};

/** Steps beyond any that an episode can have are looked for too: what was said about a step that never was is kept under its key. */
const mostSteps = 100;

/** Everything that was said about an episode's steps, in the order of the clock. What stands in the end is in the boundary. */
export async function saidOf(db: Queryable, episodeId: string): Promise<readonly SaidEntry[]> {
  const { rows } = await db.query<SaidEntry>(
    `with keys as (select $1 || ':' || n as op_key from generate_series(1, $2::int) n union select a.op_key from holdpoint.approvals a where a.episode_id = $1)
     select ${iso('s.at')} as at, s.op_key as "opKey", s.kind, s.person, s.identity, s.via, s.digest, s.comment, s.arguments, s.assigned_to as "assignedTo", s.refused from (
       select d.at, d.decision_id, d.op_key, d.kind, d.person, d.identity, d.via, d.digest, d.comment, d.arguments, d.assigned_to, d.refused from keys join holdpoint.decisions d using (op_key)
       union all
       select r.at, null, r.op_key, r.verdict, r.said_by, 'unauthenticated', r.via, r.digest, '', null, null, r.reason from keys join holdpoint.decision_refusals r using (op_key)
       union all
       -- A decision through a door that proves nothing is kept in its request alone.
       select a.decided_at, null, a.op_key, a.verdict, a.decided_by, 'unauthenticated', a.via, a.digest, a.comment, null, null, null
       from keys join holdpoint.approvals a using (op_key) where a.decision_ids is null and a.via in ('update', 'signal')) s
     order by s.at, s.decision_id`, [episodeId, mostSteps]);
  return rows;
}

/** Who changed the world of an episode after it was seeded, in the order of commits; at most `limit` rows, the first ones. */
export async function worldChangesOf(db: Queryable, worldId: string, limit = 1000): Promise<readonly WorldChange[]> {
  return (await changesOfWorlds(db, [worldId], limit)).map((row) => row.change);
}

/** A change, the world it was made in, and how many changes that world has. */
type ChangeOfWorld = { readonly worldId: string; readonly ofWorld: number; readonly change: WorldChange };

/** The same of some worlds; at most `limit` rows of each. */
export async function changesOfWorlds(db: Queryable, worldIds: readonly string[], limit = 1000): Promise<readonly ChangeOfWorld[]> {
  const { rows } = await db.query<ChangeOfWorld>(
    // Epochs are in the order of commits, ids are so within an epoch.
    `select w.world_id::text as "worldId", h.of_world as "ofWorld", jsonb_build_object('at', ${iso('h.at')}, 'epoch', h.epoch::text, 'actor', h.actor, 'reason', h.reason, 'opKey', h.op_key,
       'table', h.table_name, 'key', h.key, 'before', h.old_row, 'after', h.new_row) as change
     from unnest($1::bigint[]) w (world_id) cross join lateral (
       select h.*, count(*) over ()::int as of_world from holdpoint.row_history h where h.world_id = w.world_id and h.epoch > 1 order by h.epoch, h.id limit $2) h
     order by w.world_id, h.epoch, h.id`, [worldIds, limit]);
  return rows;
}

/** When an episode was opened and ended, or undefined where there is none of this id. */
export async function episodeTimes(db: Queryable, episodeId: string): Promise<{ readonly startedAt: string; readonly endedAt: string | null } | undefined> {
  const { rows } = await db.query<{ startedAt: string; endedAt: string | null }>(`select ${iso('e.started_at')} as "startedAt", ${iso('e.ended_at')} as "endedAt" from holdpoint.episodes e where e.episode_id = $1`, [episodeId]);
  return rows[0];
}
