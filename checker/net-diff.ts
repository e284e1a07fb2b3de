/** The exact net difference of worlds between their first epoch and now, and whether it is the expected one. */
import type { Change } from '../contract/change.ts';
import type { ExpectedDiff } from '../contract/expected-diff.ts';
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import { presentRows, type KeptTable } from './kept-tables.ts';
import { byWorld } from './many.ts';
import { missingValues } from './older-images.ts';

/** A column's value as jsonb gives it. */
type Cells = Readonly<Record<string, unknown>>;

/** One row that is not as it was at epoch 1: before or after is null where it was not, or is no more, there. */
export type RowDiff = { readonly table: string; readonly key: string; readonly before: Cells | null; readonly after: Cells | null };

/** Never part of a difference: they move with every write, name the world, or mark an operation that was not resolved. */
const leftOut = ['version', 'world_id', 'unresolved_operation'];

/**
 * All rows that differ between epoch 1 (the seed's transaction) and the tables' state now, by world. Read from the history and the tables themselves, so
 * that a write which left no history still shows.
 */
export async function netDiffs(db: Queryable, tables: readonly KeptTable[], worldIds: readonly string[]): Promise<ReadonlyMap<string, RowDiff[]>> {
  const rows = await ask<RowDiff & { world_id: string }>(db, diffSql(tables), [worldIds]);
  return byWorld(await sinceColumnsWereAdded(db, tables, rows), (row) => row.world_id);
}

/** Completes seed rows that are older than a column of their table, and leaves out those that differ by the new columns alone. No such row costs nothing. */
async function sinceColumnsWereAdded<Row extends RowDiff>(db: Queryable, tables: readonly KeptTable[], rows: Row[]): Promise<Row[]> {
  const isOlder = ({ before, after }: RowDiff): boolean => before !== null && after !== null && Object.keys(after).some((column) => !(column in before));
  const missing = new Map<string, Cells>();
  for (const table of new Set(rows.filter(isOlder).map((row) => row.table))) missing.set(table, await missingValues(db, table));
  if (missing.size === 0) return rows;
  return rows.flatMap((row) => {
    if (!isOlder(row)) return [row];
    const left = [...leftOut, ...(tables.find((table) => table.table === row.table)?.generated ?? [])];
    const known = Object.entries(missing.get(row.table) ?? {}).filter(([column]) => !left.includes(column));
    const completed = { ...row, before: { ...Object.fromEntries(known), ...row.before } };
    return changedCells(completed).length === 0 ? [] : [completed];
  });
}

// Unchanged rows are sorted out by their whole images, which costs less than to take columns away from every row.
function diffSql(tables: readonly KeptTable[]): string {
  const columns = (table: KeptTable): string => [...leftOut, ...table.generated].map((column) => `'${column}'`).join(', ');
  return `select world_id, table_name as "table", key, seed.row - left_out as before, now.row - left_out as after
    from (select * from (select distinct on (world_id, table_name, key) world_id, table_name, key, new_row as row from holdpoint.row_history
      where world_id = any ($1::bigint[]) and epoch = 1 order by world_id, table_name, key, id desc) last where row is not null) seed
    full join (${presentRows(tables)}) now using (world_id, table_name, key)
    join (values ${tables.map((table) => `('${table.table}', array[${columns(table)}]::text[])`).join(', ')}) kept (table_name, left_out) using (table_name)
    where seed.row is distinct from now.row and seed.row - left_out is distinct from now.row - left_out
    order by world_id, table_name, key`;
}

/** Column defaults by table, for rows that a change or an expectation inserts without naming every column. */
export async function columnDefaults(db: Queryable): Promise<ReadonlyMap<string, Cells>> {
  const rows = await ask<{ table: string; column: string; sql: string }>(db, `
    select n.nspname || '.' || c.relname as "table", a.attname::text as "column", pg_get_expr(d.adbin, d.adrelid) as sql
    from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
    where a.attidentity = '' and exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid and p.proname = 'record_change')`);
  const values = await ask<{ values: unknown[] }>(db, `select jsonb_build_array(${rows.map((row) => row.sql).join(', ')}) as values`);
  const defaults = new Map<string, Record<string, unknown>>();
  rows.forEach((row, index) => defaults.set(row.table, { ...defaults.get(row.table), [row.column]: values[0]?.values[index] }));
  return defaults;
}

/**
 * Whether the difference is the expected one and nothing else. Drift is what others did and need not be there: a cell that drift sets may have drift's
 * value, a row that drift inserts may be there; everything that the expectation names must be. A cell that both set may have either value, since their
 * order is not told; the inserted rows, which every effect has, decide whether the goal was reached.
 */
export function isExpected(diff: readonly RowDiff[], expected: ExpectedDiff, context: { drift: readonly Change[]; defaults: ReadonlyMap<string, Cells> }): boolean {
  if (diff.some((row) => row.after === null)) return false;
  const insertsLeft = takeInserts(diff.filter((row) => row.before === null), expected, context.defaults);
  if (insertsLeft === null) return false;
  const drifted = context.drift.flatMap((change) => ('insert' in change ? [{ table: change.insert, row: change.row }] : []));
  if (!insertsLeft.every((row) => takeOne(drifted, row, context.defaults))) return false;
  const allowed = new Map<string, unknown[]>();
  const allow = (cell: string, value: unknown): void => void allowed.set(cell, [...(allowed.get(cell) ?? []), value]);
  for (const change of context.drift)
    if ('update' in change) for (const [column, value] of Object.entries(change.set)) allow(cellName(change.update, change.key, column), value);
  for (const update of expected.updated) for (const [column, value] of Object.entries(update.set)) allow(cellName(update.table, update.key, column), value);
  const cells = diff.filter((row) => row.before !== null).flatMap(changedCells);
  const found = new Set(cells.map((cell) => cell.name));
  const allWanted = expected.updated.every((update) => Object.keys(update.set).every((column) => leftOut.includes(column) || found.has(cellName(update.table, update.key, column))));
  return allWanted && cells.every((cell) => (allowed.get(cell.name) ?? []).some((value) => same(value, cell.value)));
}

/** Takes the expected inserts out of the found ones; null where one is missing. */
function takeInserts(found: readonly RowDiff[], expected: ExpectedDiff, defaults: ReadonlyMap<string, Cells>): RowDiff[] | null {
  const left = [...found];
  for (const wanted of expected.inserted) {
    const index = left.findIndex((row) => isRow(row, wanted, defaults));
    if (index < 0) return null;
    left.splice(index, 1);
  }
  return left;
}

function takeOne(from: { table: string; row: Cells }[], row: RowDiff, defaults: ReadonlyMap<string, Cells>): boolean {
  const index = from.findIndex((wanted) => isRow(row, wanted, defaults));
  if (index >= 0) from.splice(index, 1);
  return index >= 0;
}

/** A column that is not named has its default, and else is null. */
function isRow(row: RowDiff, wanted: { readonly table: string; readonly row: Cells }, defaults: ReadonlyMap<string, Cells>): boolean {
  if (row.table !== wanted.table) return false;
  const after = row.after ?? {};
  if (Object.keys(wanted.row).some((column) => !leftOut.includes(column) && !(column in after))) return false;
  return Object.entries(after).every(([column, value]) => same(value, column in wanted.row ? wanted.row[column] : (defaults.get(row.table)?.[column] ?? null)));
}

function changedCells(row: RowDiff): { name: string; value: unknown }[] {
  const { before, after } = row;
  if (before === null || after === null) return [];
  return Object.keys(after).filter((column) => !same(before[column], after[column])).map((column) => ({ name: cellName(row.table, row.key, column), value: after[column] }));
}

const cellName = (table: string, key: string, column: string): string => JSON.stringify([table, key, column]);

/** Values come from jsonb on one side and from plain data on the other: scalars, and arrays of text. */
const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
