/**
 * SQL for the state of a world as it was at an epoch, from the row history alone.
 *
 * Why `epoch <= E` is exactly the state at E: every writing transaction takes the world's epoch row before it writes its history and keeps it
 * until COMMIT, so within a world epochs are in the order of the commits, and one epoch is one transaction. Ids are no such order: an id is drawn
 * before the wait for the epoch row. So everything here sorts by epoch first, and by id only within one transaction.
 */

/** The row (jsonb) whose table and key are the SQL texts `table` and `key`, at the asked position; null where it was not there. */
export function rowAt(table: string, key: string, at: At = asked): string {
  return `(select h.new_row from holdpoint.row_history h where h.world_id = ${at.world} and h.table_name = ${table} and h.key = ${key}
      and h.epoch <= ${at.upto} order by h.epoch desc, h.id desc limit 1)`;
}

/** All rows of the table that the SQL text `table` names, at the asked position, as a subquery with the one column `r` (jsonb). */
export function rowsAt(table: string, at: At = asked): string {
  return `(select last.new_row as r from (select distinct on (h.key) h.new_row from holdpoint.row_history h
      where h.world_id = ${at.world} and h.table_name = ${table} and h.epoch <= ${at.upto} order by h.key, h.epoch desc, h.id desc) last
      where last.new_row is not null)`;
}

/** A position in a world's history, as two SQL expressions. */
export type At = { readonly world: string; readonly upto: string };

/** The position that a query asks about: columns of the relation `q`. */
export const asked: At = { world: 'q.world_id', upto: 'q.upto' };
