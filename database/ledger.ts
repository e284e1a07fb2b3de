/** The ledger, read: what was attempted under an op key or in a world, and what came of it. */
import { LedgerRow } from '../contract/ledger-row.ts';
import type { Queryable } from './pool.ts';

/** Attempts in the order in which they were written. @throws z.ZodError where a row is not of the contract's form */
export async function ledgerOf(db: Queryable, of: { readonly opKey: string } | { readonly worldId: string }): Promise<LedgerRow[]> {
  const [column, value] = 'opKey' in of ? ['op_key', of.opKey] : ['world_id', of.worldId];
  const { rows } = await db.query<Record<string, unknown>>(`select ${columns} from holdpoint.ledger l where l.${column} = $1 order by l.world_id, l.id`, [value]);
  return rows.map((row) => LedgerRow.parse(row));
}

const iso = (column: string): string => `to_char(l.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

// Versions are bigint and travel as text: a JS number ends at 2^53.
const columns = `l.id::text as id, l.world_id::text as "worldId", l.op_key as "opKey", coalesce(l.digest, '') as digest, l.tool, l.guard, l.without, l.verdict, l.reason, l.attempt,
  coalesce(l.versions_read::text[], '{}') as "versionsRead", coalesce(l.versions_found::text[], '{}') as "versionsFound",
  l.epoch_read::text as "epochRead", l.epoch_found::text as "epochFound",
  case when l.status_held is not null then jsonb_build_object('status', l.status_held, 'policy', l.policy_held, 'integrity', l.integrity_held, 'notApplied', l.not_applied_held) end as clauses,
  l.approved_by as "approvedBy", l.xact::text as xact, ${iso('started_at')} as "startedAt", ${iso('locked_at')} as "lockedAt", ${iso('at')} as at`;
