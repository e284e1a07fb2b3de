/** A table as CSV: a figure's value at full precision, as it is shown, and the paper's beside it in a column of its own. */
import { isFigure, type Cell, type Table } from '../model.ts';
import { differenceOf, hasFigures } from './comparison.ts';
import { escapeCsv } from './escape.ts';

/** RFC 4180, with one line of heads. A figure without a value has an empty field; one that the paper does not print says so. */
export function tableCsv(table: Table): string {
  const { head, rows } = table;
  const figures = head.map((_, column) => rows.some((row) => isFigure(row[column] ?? '')));
  const heads = head.flatMap((name, column) => (figures[column] === true ? [name, `${name} (shown)`, `${name} (paper)`] : [name]));
  const body = rows.map((row) => [...row.flatMap((cell, column) => (figures[column] === true ? fields(cell) : [isFigure(cell) ? cell.text : cell])), ...(hasFigures(table) ? [differenceOf(table, row)] : [])]);
  return [[...heads, ...(hasFigures(table) ? ['against the paper'] : [])], ...body].map((row) => `${row.map(escapeCsv).join(',')}\r\n`).join('');
}

function fields(cell: Cell): string[] {
  if (!isFigure(cell)) return ['', cell, ''];
  return [cell.value === null ? '' : String(cell.value), cell.text, cell.paper === null ? 'not printed' : cell.paper.text];
}
