/** Decisions that were refused at a door that proves nothing of its sender, read. */
import { iso } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** A refused update or signal. `by`: the name that it gave, which nothing proves. `at`: ISO 8601, by the database's clock. */
export type RawRefusal = { readonly opKey: string; readonly verdict: string; readonly by: string; readonly via: string; readonly reason: string; readonly at: string };

/** The first 200 about a request or an episode's requests, in the order in which they were kept. */
export async function refusalsOf(db: Queryable, of: { readonly opKey: string } | { readonly episodeId: string }): Promise<readonly RawRefusal[]> {
  const [where, value] = 'opKey' in of ? ['r.op_key = $1', of.opKey] : ['r.op_key in (select a.op_key from holdpoint.approvals a where a.episode_id = $1)', of.episodeId];
  const { rows } = await db.query<RawRefusal>(
    `select r.op_key as "opKey", r.verdict, r.said_by as by, r.via, r.reason, ${iso('r.at')} as at from holdpoint.decision_refusals r where ${where} order by r.at limit 200`, [value]);
  return rows;
}
