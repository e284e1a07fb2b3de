/** The report as markdown: the same sentences and tables; figures by what they say in words. */
import { isFigure, type Cell, type Chart, type Report, type Table } from '../model.ts';
import { differenceOf, hasFigures, isUnprinted, paperText, placesOf } from './comparison.ts';
import { escapeMarkdown } from './escape.ts';

export function reportMarkdown({ title, firstScreen: { tried, cameOut, use }, charts, tables, notRun, provenance }: Report): string {
  const lines = (sentences: readonly string[]): string => sentences.map(escapeMarkdown).join('\n\n');
  const blocks = [
    `# ${escapeMarkdown(title)}`, '## What was tried', lines(tried), '## What came out', lines(cameOut), '## What to use', lines(use),
    ...(notRun.length === 0 ? [] : ['## What was not run', lines(notRun)]), ...charts.flatMap(chartBlocks), ...tables.flatMap(tableBlocks), '## Where this comes from', lines(provenance),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function chartBlocks({ title, caption, alternative }: Chart): string[] {
  return [`## Figure: ${escapeMarkdown(title)}`, escapeMarkdown(caption), escapeMarkdown(alternative)];
}

function tableBlocks(table: Table): string[] {
  const { title, caption, head, labels, rows, notes } = table;
  const compared = hasFigures(table);
  const heads = [...head.map((name, column) => (isUnprinted(table, column) ? `${name} (paper: not printed)` : name)), ...(compared ? ['against the paper'] : [])];
  const body = rows.map((row) => [...row.map((cell, column) => cellText(table, cell, column)), ...(compared ? [differenceOf(table, row)] : [])]);
  const rule = heads.map((_, column) => (column < labels || (compared && column === head.length) ? '---' : '---:'));
  const places = placesOf(table);
  return [
    `## ${escapeMarkdown(title)}`, escapeMarkdown(caption), [heads.map(escapeMarkdown), rule, ...body.map((row) => row.map(escapeMarkdown))].map((row) => `| ${row.join(' | ')} |`).join('\n'),
    ...notes.map(escapeMarkdown), places.length === 0 ? '' : escapeMarkdown(`The paper's figures: ${places.join('; ')}.`),
  ];
}

function cellText(table: Table, cell: Cell, column: number): string {
  if (!isFigure(cell)) return cell;
  return isUnprinted(table, column) ? cell.text : `${cell.text}; paper: ${paperText(cell)}`;
}
