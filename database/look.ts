/** What became of the rows that a frozen proposal rests on: as the model read them, as they are, who changed what in between, and which clauses hold. */
import type { Clause } from '../contract/guard.ts';
import type { Proposal } from '../contract/proposal.ts';
import type { ArgumentSpec } from '../guards/tool-contract.ts';
import { toolContract } from '../guards/tools/index.ts';
import { iso } from './approvals.ts';
import { checkWorlds } from './frozen/check.ts';
import type { Queryable } from './pool.ts';

/** One column with another value than before; null where there was no row, or is none any more. */
export type ColumnChange = { readonly column: string; readonly before: unknown; readonly after: unknown };

/** One row of the read set. `versionNow` null: it is not there any more. `columns`: what differs from what the model read. */
export type ReadRow = { readonly table: string; readonly key: string; readonly versionRead: string; readonly versionNow: string | null; readonly columns: readonly ColumnChange[] };

/** One write to the world since it was read, and who made it. `inReadSet`: the proposal was based on this row. */
export type WorldChange = {
  readonly table: string; readonly key: string; readonly inReadSet: boolean; readonly columns: readonly ColumnChange[];
  readonly actor: string; readonly reason: string; readonly at: string; readonly epoch: string;
};

/** The tool in its contract's words. */
export type ToolWords = { readonly description: string; readonly arguments: Readonly<Record<string, ArgumentSpec>>; readonly allowedStates: readonly string[] };

/** One look. Nothing is locked: it is old as soon as it is there, and the commit looks again. `clauses` null: the tool is unknown, so nothing can be said. */
export type Look = {
  readonly epochRead: string; readonly epochNow: string; readonly rows: readonly ReadRow[];
  /** The latest 50, the newest last. */
  readonly changes: readonly WorldChange[];
  readonly allThere: boolean; readonly clauses: Readonly<Record<Clause, boolean>> | null; readonly tool: ToolWords | null;
};

type Row = Record<string, unknown> | null;

/** Looks at the world for a proposal, with the worker's rights. */
export async function lookNow(db: Queryable, worldId: string, proposal: Proposal): Promise<Look> {
  const contract = toolContract(proposal.tool);
  const [rows, changes, checks] = await Promise.all([
    readRows(db, worldId, proposal), changesSince(db, worldId, proposal),
    contract === undefined ? [] : checkWorlds(db, [worldId], { tool: proposal.tool, args: proposal.arguments }).catch(ofArguments),
  ]);
  return {
    epochRead: proposal.epoch, epochNow: rows.epoch, rows: rows.rows, changes, allThere: checks[0]?.allThere ?? false, clauses: checks[0]?.clauses ?? null,
    tool: contract === undefined ? null : { description: contract.description, arguments: contract.arguments, allowedStates: contract.allowedStates },
  };
}

/** Arguments that the tool does not take can be proposed; the commit refuses them, and there is nothing to check. */
function ofArguments(error: unknown): [] {
  if (error instanceof TypeError) return [];
  throw error;
}

// The history holds every row since the world began: the one with the version that was read, and the latest.
const readSql = `
  select (select e.epoch::text from holdpoint.epochs e where e.world_id = $1) as epoch, w.position, read.new_row as read, latest.new_row as latest
  from unnest($2::text[], $3::text[], $4::text[]) with ordinality as w (table_name, key, version, position)
  left join lateral (select x.new_row from holdpoint.row_history x where x.world_id = $1 and x.table_name = w.table_name and x.key = w.key and x.new_row ->> 'version' = w.version
    order by x.id desc limit 1) read on true
  left join lateral (select x.new_row from holdpoint.row_history x where x.world_id = $1 and x.table_name = w.table_name and x.key = w.key order by x.id desc limit 1) latest on true
  order by w.position`;

async function readRows(db: Queryable, worldId: string, { readSet }: Proposal): Promise<{ epoch: string; rows: ReadRow[] }> {
  const { rows } = await db.query<{ epoch: string | null; read: Row; latest: Row }>({
    name: 'look-read-set', text: readSql, values: [worldId, readSet.map((row) => row.table), readSet.map((row) => row.key), readSet.map((row) => row.version)],
  });
  return {
    epoch: rows[0]?.epoch ?? '0',
    rows: readSet.map(({ table, key, version }, at) => {
      const { read = null, latest = null } = rows[at] ?? {};
      // A version of its own column would lose digits as a JS number beyond 2^53; worlds here end long before.
      return { table, key, versionRead: version, versionNow: latest === null ? null : String(latest['version']), columns: differences(read, latest) };
    }),
  };
}

/** What was written to the world after the proposal's read. */
export async function changesSince(db: Queryable, worldId: string, { epoch, readSet }: Pick<Proposal, 'epoch' | 'readSet'>): Promise<WorldChange[]> {
  const { rows } = await db.query<{ table: string; key: string; before: Row; after: Row; actor: string; reason: string; at: string; epoch: string }>({
    name: 'look-changes', values: [worldId, epoch],
    text: `select x.* from (select h.id, h.table_name as "table", h.key, h.old_row as before, h.new_row as after, h.actor, h.reason, ${iso('h.at')} as at, h.epoch::text as epoch
      from holdpoint.row_history h where h.world_id = $1 and h.epoch > $2::bigint order by h.id desc limit 50) x order by x.id`,
  });
  return rows.map(({ table, key, before, after, actor, reason, at, epoch: then }) =>
    ({ table, key, actor, reason, at, epoch: then, inReadSet: readSet.some((row) => row.table === table && row.key === key), columns: differences(before, after) }));
}

/** Columns whose values differ, without the engine's own marks. */
function differences(before: Row, after: Row): ColumnChange[] {
  const columns = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter((column) => column !== 'world_id' && column !== 'version');
  return columns
    .map((column) => ({ column, before: before?.[column] ?? null, after: after?.[column] ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}
