/** One way to ask the database: every query is prepared under a name made from its text, because planning them costs more than running them. */
import type { QueryResultRow } from 'pg';
import { digestOfText } from '../contract/digest.ts';
import type { Queryable } from '../database/pool.ts';

const names = new Map<string, string>();

/** The rows of a query. The same text is planned once a connection. */
export async function ask<Row extends QueryResultRow>(db: Queryable, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const name = names.get(text) ?? `checker-${digestOfText(text).slice(0, 16)}`;
  names.set(text, name);
  const { rows } = await db.query<Row>({ name, text, values: [...values] });
  return rows;
}
