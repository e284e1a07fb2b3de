/** What stands after the episodes have ended: counted by SQL and from Temporal's list, not by what the engine says. */
import type { Client } from '@temporalio/client';
import type { Queryable } from '../../database/pool.ts';

/** Committed rows, and how many final rows or inserted effect rows an op key has beyond its first. */
export async function countLedger(db: Queryable): Promise<{ ledgerRows: number; duplicates: number }> {
  const { rows } = await db.query<{ ledgerRows: number; duplicates: number }>(`
    select (select count(*)::int from holdpoint.ledger where verdict = 'committed') as "ledgerRows",
      (select coalesce(sum(n - 1), 0)::int from (select count(*) as n from holdpoint.ledger where verdict <> 'rejected' group by op_key) k)
      + (select coalesce(sum(n - 1), 0)::int from (select count(*) as n from holdpoint.row_history where op_key <> '' and old_row is null group by op_key, table_name) e) as duplicates`);
  return rows[0] ?? { ledgerRows: 0, duplicates: 0 };
}

/** Lengths of the histories of a batch's episodes, in events. */
export async function historyEvents(client: Client, batchId: string): Promise<{ median: number; max: number }> {
  const lengths: number[] = [];
  for await (const { historyLength } of client.workflow.list({ query: `holdpointBatch = '${batchId}' and WorkflowType = 'episode'`, pageSize: 1000 })) lengths.push(historyLength);
  lengths.sort((a, b) => a - b);
  return { median: lengths[Math.floor(lengths.length / 2)] ?? 0, max: lengths.at(-1) ?? 0 };
}
