/** Draws charts as SVG, without a browser: Vega-Lite compiles the spec, Vega draws it. */
import type { Chart } from '../../analysis/report/model.ts';
import { visibleText } from '../../contract/visible-text.ts';

/** The SVG of each chart that has a spec, by its id. The same specs give the same bytes. */
export async function drawCharts(charts: readonly Chart[]): Promise<Map<string, string>> {
  // Asked for here, because every command would wait for Vega at its start.
  const [{ loader, parse, resetSVGDefIds, View }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  // Never loads: a chart's data are in its spec.
  const noLoader = { ...loader(), load: () => Promise.reject(new TypeError('A chart loads nothing.')) };
  const drawings = new Map<string, string>();
  for (const { id, spec } of charts) {
    if (spec === null) continue;
    resetSVGDefIds(); // ids count up over a process's life
    const view = new View(parse(compile(spec).spec), { renderer: 'none', loader: noLoader });
    const svg = await view.toSVG();
    view.finalize();
    drawings.set(id, unique(visibleText(svg), id)); // names in it are untrusted, and Vega escapes markup only
  }
  return drawings;
}

/** Ids of one page's drawings must differ. */
function unique(svg: string, id: string): string {
  return svg.replace(/\bid="([^"]+)"/g, `id="${id}-$1"`).replace(/url\(#([^)]+)\)/g, `url(#${id}-$1)`);
}
