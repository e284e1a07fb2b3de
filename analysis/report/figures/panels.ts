/** Shares as dots with their intervals, in panels under one another: one row a thing, one shape and colour a proposer. */
import type { TopLevelSpec } from 'vega-lite';
import { colours, config, schemaUrl, shapes } from './style.ts';

/** A dot: a share and its interval, in percent. */
export type Dot = { readonly proposer: string; readonly row: string; readonly panel: string; readonly percent: number; readonly low: number; readonly high: number };

/** What stands in a `vconcat`. */
type UnitSpecs = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number];

/** Null where there is nothing to draw. `rows`: their order from the top. */
export function panelsOf(dots: readonly Dot[], { panels, rows }: { readonly panels: readonly string[]; readonly rows: readonly string[] }): TopLevelSpec | null {
  if (dots.length === 0) return null;
  return { $schema: schemaUrl, config, spacing: 12, vconcat: panels.map((label, n) => panelOf(dots.filter(({ panel }) => panel === label), { label, rows, isLast: n === panels.length - 1 })) };
}

/** One panel; the axis's title under the last only. */
function panelOf(values: Dot[], { label, rows, isLast }: { label: string; rows: readonly string[]; isLast: boolean }): UnitSpecs {
  return {
    title: label, width: 210, height: { step: 18 }, data: { values },
    layer: [
      { mark: { type: 'rule', strokeWidth: 1.5 }, encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } } },
      { mark: { type: 'point', filled: true, size: 70, opacity: 1 }, encoding: { x: { field: 'percent', type: 'quantitative' }, shape: { field: 'proposer', type: 'nominal', scale: { range: shapes } } } },
    ],
    encoding: {
      x: { type: 'quantitative', scale: { domain: [0, 100] }, axis: { title: isLast ? 'percent' : null, values: [0, 25, 50, 75, 100] } },
      y: { field: 'row', type: 'nominal', sort: [...rows], axis: { title: null } },
      yOffset: { field: 'proposer', type: 'nominal' }, color: { field: 'proposer', type: 'nominal', scale: { range: colours } },
    },
  };
}

/** The dots in words. */
export function dotsInWords(dots: readonly Dot[]): string {
  return dots.map(({ proposer, row, panel, percent }) => `${proposer}, ${row}: ${panel.toLowerCase()} ${percent.toFixed(1)}%`).join('; ');
}
