/** Names that come from data and must stand in SQL: only plain ones pass. */

/** A column name, quoted. @throws TypeError where it is not snake case */
export function quoteIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`"${name}" is not a snake-case name.`);
  return `"${name}"`;
}

/** A table name with its schema, quoted. @throws TypeError where it is not `schema.table` */
export function quoteTable(name: string): string {
  const [schema, table, ...rest] = name.split('.');
  if (schema === undefined || table === undefined || rest.length > 0) throw new TypeError(`"${name}" is not schema.table.`);
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}
