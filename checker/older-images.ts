/**
 * Row images that are older than a column of their table. A migration that adds a column changes every row's image and writes no history; what the rows then
 * hold in it is known to PostgreSQL: the constant that it keeps for rows written before (pg_attribute.attmissingval), or null. Not known are a column
 * whose default was worked out row by row, and one whose table was rewritten since (VACUUM FULL, a restored dump): such an image stays as it is, and shows.
 */
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';

/** SQL: what rows written before a column hold in it, as one object of the table whose name is the SQL text `table`. */
const missingIn = (table: string): string => `(select coalesce(jsonb_object_agg(a.attname, case when a.atthasmissing then to_jsonb(a.attmissingval) -> 0 else 'null' end), '{}')
  from pg_attribute a where a.attrelid = to_regclass(quote_ident(split_part(${table}, '.', 1)) || '.' || quote_ident(split_part(${table}, '.', 2)))
    and a.attnum > 0 and not a.attisdropped and (a.atthasmissing or not a.attnotnull))`;

/**
 * SQL: whether an older image `then` (jsonb, or null where the row was not there) is another row than the later `now`. An image is completed only where the two
 * differ, so where nothing is wrong the catalogue is not asked.
 */
export function differs(then: string, now: string, table: string): string {
  return `case when ${then} is not distinct from ${now} then false else ${missingIn(table)} || ${then} is distinct from ${now} end`;
}

/** What rows written before a column hold in it, of one table by its name in the history. */
export async function missingValues(db: Queryable, table: string): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await ask<{ missing: Record<string, unknown> }>(db, `select ${missingIn('$1::text')} as missing`, [table]);
  return row?.missing ?? {};
}
