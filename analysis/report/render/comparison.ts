/** What a table says of the paper: a note for columns of which it prints nothing, and a sentence a row for what differs. */
import { isFigure, type Cell, type Table } from '../model.ts';

/** Columns that hold figures of ours of which the paper prints none: said once in the head, not in every cell. */
export function isUnprinted({ rows }: Table, column: number): boolean {
  const cells = rows.map((row) => row[column] ?? '').filter(isFigure);
  return cells.length > 0 && cells.every(({ paper }) => paper === null);
}

/** Whether a table has anything to compare. */
export const hasFigures = ({ rows }: Table): boolean => rows.some((row) => row.some(isFigure));

/** What differs in a row and why: "as printed", "not printed", or each column that differs. */
export function differenceOf({ head }: Table, row: readonly Cell[]): string {
  const compared = row.flatMap((cell, column) => (isFigure(cell) && cell.paper !== null ? [{ cell, name: head[column] ?? '' }] : []));
  if (compared.length === 0) return 'not printed';
  const byReason = new Map<string, string[]>();
  for (const { cell, name } of compared) if (cell.why !== null) byReason.set(cell.why, [...(byReason.get(cell.why) ?? []), name]);
  if (byReason.size === 0) return 'as printed';
  return [...byReason].map(([why, names]) => `${names.join(', ')}: ${why}`).join('; ');
}

const scopes = { 'always-acting': 'always-acting models', macro: 'mean of three models', models: 'each model', pooled: 'three models together', design: 'design' } as const;

/** The paper's figure with whom it speaks of. */
export function paperText(cell: Cell): string {
  if (!isFigure(cell)) return '';
  return cell.paper === null ? 'not printed' : `${cell.paper.text} (${scopes[cell.paper.scope]})`;
}

/** Where the paper prints what a table shows, each place once. */
export function placesOf({ rows }: Table): string[] {
  return [...new Set(rows.flatMap((row) => row.flatMap((cell) => (isFigure(cell) && cell.paper !== null ? [cell.paper.place] : []))))];
}
