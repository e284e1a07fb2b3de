/** A table of the page, the paper's figure under each of ours. */
import { isFigure, type Cell, type Table } from '../model.ts';
import { differenceOf, hasFigures, isUnprinted, paperText, placesOf } from './comparison.ts';
import { escapeHtml } from './escape.ts';

/** Head cells have a scope; the caption says what is shown. A wide table scrolls by itself, and the keyboard reaches it. */
export function tableHtml(table: Table): string {
  const { id, title, caption, head, rows, notes } = table;
  const compared = hasFigures(table);
  const heads = head.map((name, column) => `<th scope="col"${column < table.labels ? ' class="label"' : ''}>${escapeHtml(name)}${isUnprinted(table, column) ? '<small>paper: not printed</small>' : ''}</th>`);
  const body = rows.map((row) => `<tr>${row.map((cell, column) => cellHtml(table, cell, column)).join('')}${compared ? `<td class="why">${escapeHtml(differenceOf(table, row))}</td>` : ''}</tr>`);
  const places = placesOf(table);
  return `<section class="table" aria-labelledby="title-${id}"><h2 id="title-${id}">${escapeHtml(title)}</h2>
<div class="wide" tabindex="0" role="region" aria-labelledby="title-${id}"><table id="table-${id}"><caption>${escapeHtml(caption)}</caption>
<thead><tr>${heads.join('')}${compared ? '<th scope="col">against the paper</th>' : ''}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>
${notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('\n')}${places.length === 0 ? '' : `<p class="note">The paper's figures: ${escapeHtml(places.join('; '))}.</p>`}</section>`;
}

function cellHtml(table: Table, cell: Cell, column: number): string {
  if (column < table.labels) return `<th scope="row">${escapeHtml(isFigure(cell) ? cell.text : cell)}</th>`;
  if (!isFigure(cell)) return `<td>${escapeHtml(cell)}</td>`;
  return `<td${cell.why === null ? '' : ' class="differs"'}>${escapeHtml(cell.text)}${isUnprinted(table, column) ? '' : `<small>paper: ${escapeHtml(paperText(cell))}</small>`}</td>`;
}
