/** The report as one page that asks for nothing from anywhere: styles and drawings are in it, scripts are not. */
import type { Chart, Report, Table } from '../model.ts';
import { escapeHtml } from './escape.ts';
import { tableHtml } from './html-table.ts';
import { style } from './style.ts';

/** `drawings`: each chart's SVG by its id, made from its spec. @returns the page */
export function reportHtml(report: Report, drawings: ReadonlyMap<string, string>): string {
  const { title, firstScreen: { tried, cameOut, use }, charts, tables, notRun, provenance } = report;
  const part = (id: string, name: string, sentences: readonly string[]): string => `<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>${sentences.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}</section>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1></header>
<main>
<div class="first">
${part('tried', 'What was tried', tried)}
${part('came-out', 'What came out', cameOut)}
${part('use', 'What to use', use)}
</div>
<nav aria-label="Contents"><h2>Contents</h2><ul>${[...charts.map(({ id, title: name }) => linkTo(`figure-${id}`, `Figure: ${name}`)), ...tables.map(({ id, title: name }) => linkTo(`table-${id}`, name))].join('')}</ul></nav>
${notRun.length === 0 ? '' : part('not-run', 'What was not run', notRun)}
${charts.map((chart) => figureHtml(chart, drawings.get(chart.id), tables)).join('\n')}
${tables.map(tableHtml).join('\n')}
</main>
<footer><h2>Where this comes from</h2>${provenance.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}</footer>
</body>
</html>
`;
}

const linkTo = (id: string, text: string): string => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`;

function figureHtml({ id, title, caption, alternative, table }: Chart, svg: string | undefined, tables: readonly Table[]): string {
  const data = tables.some((one) => one.id === table) ? ` <a href="#table-${table}">The figures as a table.</a>` : '';
  const drawing = svg === undefined ? `<p>${escapeHtml(alternative)}</p>` : `<div class="drawing" role="img" aria-label="${escapeHtml(alternative)}">${svg}</div>`;
  return `<figure id="figure-${id}"><h2>${escapeHtml(title)}</h2>${drawing}<figcaption>${escapeHtml(caption)}${data}</figcaption></figure>`;
}
