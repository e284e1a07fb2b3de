/** Rows of untrusted text as aligned columns for a terminal. */
import { printable } from '../output.ts';

/** In code points: good enough for a table, and what cannot be seen was made visible before. */
const widthOf = (text: string): number => Array.from(text).length;

/** Every cell is made printable and cut to `most` characters; the last column, which holds what people copy, is not cut. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[], most = 48): string {
  const cells = [head, ...rows].map((row) => row.map((cell, at) => printable(cell, at === head.length - 1 ? 4_000 : most)));
  const widths = head.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  return cells.map((row) => row.map((cell, at) => (at === head.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell)))).join('  ').trimEnd()).join('\n');
}
