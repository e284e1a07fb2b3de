/** Which tables keep a history: read from the triggers themselves, so that a new table is checked without being listed here. */
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';

/** A table under the regime. Names are quoted for SQL where they stand in `sql` fields. */
export type KeptTable = {
  /** `schema.table`, as the history names it. */
  readonly table: string;
  readonly sqlTable: string;
  readonly sqlKey: string;
  /** Generated columns: not part of any expected diff. */
  readonly generated: readonly string[];
  /** False where somebody switched the history trigger off. */
  readonly enabled: boolean;
};

/** Which tables are kept, and which should be and are not: the same for every world, so read once for many. */
export type Regime = { readonly tables: readonly KeptTable[]; readonly unkept: readonly string[] };

/** The database's tables as they are now. @throws Error where none keeps a history */
export async function readRegime(db: Queryable): Promise<Regime> {
  return { tables: await keptTables(db), unkept: await unkeptTables(db) };
}

/** SQL for every row that is there in the worlds $1: world_id, table_name, key, and the row as jsonb. */
export function presentRows(tables: readonly KeptTable[]): string {
  return tables.map((table) => `select t.world_id, '${table.table}' as table_name, t.${table.sqlKey}::text as key, to_jsonb(t) as row
      from ${table.sqlTable} t where t.world_id = any ($1::bigint[])`).join('\n    union all ');
}

/** Every table with a history trigger, by name. @throws Error where there is none: then nothing could be proved */
async function keptTables(db: Queryable): Promise<KeptTable[]> {
  const rows = await ask<KeptTable>(db, `
    select n.nspname || '.' || c.relname as "table", format('%I.%I', n.nspname, c.relname) as "sqlTable",
      quote_ident(split_part(encode(t.tgargs, 'escape'), '\\000', 1)) as "sqlKey",
      array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '' order by 1) as generated, t.tgenabled = 'O' as enabled
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
    where p.proname = 'record_change' order by 1`);
  if (rows.length === 0) throw new Error('No table of this database keeps a history.');
  return rows;
}

/** Tables with a world in the schemas of the kept ones that keep no history, as `schema.table`; the engine's own schema apart. */
async function unkeptTables(db: Queryable): Promise<string[]> {
  const rows = await ask<{ name: string }>(db, `
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attname = 'world_id'
    where c.relkind = 'r' and n.nspname in ('orders', 'billing', 'access', 'deployments')
      and not exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid and p.proname = 'record_change') order by 1`);
  return rows.map((row) => row.name);
}
