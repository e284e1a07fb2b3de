/** What was written to a world since a proposal's read, by whom, and what the proposal's tool is in its contract's words. */
import { rollbackTool } from '../contract/names.ts';
import type { ColumnChange } from '../contract/preview.ts';
import type { Proposal } from '../contract/proposal.ts';
import type { ArgumentSpec } from '../guards/tool-contract.ts';
import { toolContract } from '../guards/tools/index.ts';
import { rollbackWords } from '../guards/tools/rollback-words.ts';
import { iso } from './approvals.ts';
import type { Queryable } from './pool.ts';

/** One write to the world, and who made it. `inReadSet`: the proposal was based on this row. `at`: ISO 8601, by the database's clock. */
export type WorldChange = {
  readonly table: string; readonly key: string; readonly inReadSet: boolean; readonly columns: readonly ColumnChange[];
  readonly actor: string; readonly reason: string; readonly at: string; readonly epoch: string;
};

/** The tool's description and arguments. */
export type ToolWords = { readonly description: string; readonly arguments: Readonly<Record<string, ArgumentSpec>> };

/** Null where no contract has this name. */
export function toolWords(tool: string): ToolWords | null {
  const contract = tool === rollbackTool ? rollbackWords : toolContract(tool);
  return contract === undefined ? null : { description: contract.description, arguments: contract.arguments };
}

type Row = Readonly<Record<string, unknown>> | null;

/** The latest 50 writes after the proposal's read, the newest last. */
export async function changesSince(db: Queryable, worldId: string, { epoch, readSet }: Pick<Proposal, 'epoch' | 'readSet'>): Promise<WorldChange[]> {
  const { rows } = await db.query<{ table: string; key: string; before: Row; after: Row; actor: string; reason: string; at: string; epoch: string }>({
    name: 'changes-since', values: [worldId, epoch],
    text: `select x.* from (select h.id, h.table_name as "table", h.key, h.old_row as before, h.new_row as after, h.actor, h.reason, ${iso('h.at')} as at, h.epoch::text as epoch
      from holdpoint.row_history h where h.world_id = $1 and h.epoch > $2::bigint order by h.id desc limit 50) x order by x.id`,
  });
  return rows.map(({ table, key, before, after, actor, reason, at, epoch: then }) =>
    ({ table, key, actor, reason, at, epoch: then, inReadSet: readSet.some((row) => row.table === table && row.key === key), columns: differences(before ?? {}, after ?? {}) }));
}

/** Columns whose values differ, without the engine's own marks. */
function differences(before: NonNullable<Row>, after: NonNullable<Row>): ColumnChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((column) => column !== 'world_id' && column !== 'version' && JSON.stringify(before[column]) !== JSON.stringify(after[column]))
    .map((column) => ({ column, ...(column in before && { before: before[column] }), ...(column in after && { after: after[column] }) }) as ColumnChange);
}
