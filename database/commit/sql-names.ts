/** How a contract's names and literals stand in generated SQL: what a contract says is the project's own code, and still only plain words pass. */
import type { LockedRow, ToolContract } from '../../guards/tool-contract.ts';

/** The variables that hold a call's arguments, as declarations over `p_args`. */
export function argumentVariables(contract: ToolContract): string {
  return Object.entries(contract.arguments)
    .map(([argument, spec]) => `  ${variable(argument)} ${spec.type === 'integer' ? 'bigint' : 'text'} := (p_args ->> ${literal(argument)})${spec.type === 'integer' ? '::bigint' : ''};`)
    .join('\n');
}

/** The variables that hold the rows that the decision rests on, as declarations. */
export function rowVariables(contract: ToolContract): string {
  return contract.locks.map((row) => `  ${identifier(row.name)} ${row.table};`).join('\n');
}

/** The statement that reads such a row into its variable, without its end. */
export function selectRow(row: LockedRow): string {
  const key = 'argument' in row.key ? variable(row.key.argument) : literal(row.key.literal);
  return `select * into ${identifier(row.name)} from ${row.table} x where x.world_id = p_world and x.${identifier(row.keyColumn)} = ${key}`;
}

/** `orderId` becomes `a_order_id`. */
function variable(argument: string): string {
  return `a_${identifier(argument.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`))}`;
}

/** @throws TypeError for a name that is not snake case */
export function identifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`"${name}" is not a snake-case name.`);
  return name;
}

/** @throws TypeError for a text that is not one plain word */
export function literal(text: string): string {
  if (!/^[A-Za-z0-9_]+$/.test(text)) throw new TypeError(`"${text}" cannot stand in generated SQL.`);
  return `'${text}'`;
}
