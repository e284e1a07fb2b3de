/** Decisions that were refused at a door that proves nothing of its sender, read. */
import { iso } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** A refused update or signal. `by`: the name that it gave, which nothing proves. `at`: ISO 8601, by the database's clock. */
export type RawRefusal = { readonly opKey: string; readonly verdict: string; readonly by: string; readonly via: string; readonly reason: string; readonly at: string };

/** The first 200 about a request, in the order in which they were kept. */
export async function refusalsOf(db: Queryable, opKey: string): Promise<readonly RawRefusal[]> {
  const { rows } = await db.query<RawRefusal>(
    `select r.op_key as "opKey", r.verdict, r.said_by as by, r.via, r.reason, ${iso('r.at')} as at from holdpoint.decision_refusals r where r.op_key = $1 order by r.at limit 200`, [opKey]);
  return rows;
}
