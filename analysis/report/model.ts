/** What a report is made of before it is drawn or written down: sentences, tables and figures as data. */
import type { TopLevelSpec } from 'vega-lite';
import type { Printed } from '../study/printed.ts';

/** A figure of ours: `text` is shown, `value` compared; null is "no value" and `text` says why. `paper` null: the text prints none. `why` explains a difference. */
export type Figure = { readonly value: number | string | null; readonly text: string; readonly paper: Printed | null; readonly why: string | null };

/** A label or a sentence, or a figure with the paper's beside it. A text may be untrusted: each writer escapes it. */
export type Cell = string | Figure;

/** A table. The first `labels` columns name the row. `id` is a file name without its ending. */
export type Table = {
  readonly id: string; readonly title: string; readonly caption: string;
  readonly head: readonly string[]; readonly labels: number; readonly rows: readonly (readonly Cell[])[];
  readonly notes: readonly string[];
};

/** A chart: a Vega-Lite spec (null where there is nothing to draw), what it says in words, and the table that holds its data. */
export type Chart = { readonly id: string; readonly title: string; readonly caption: string; readonly alternative: string; readonly table: string; readonly spec: TopLevelSpec | null };

/** A whole report. `firstScreen` answers what was tried, what came out, and what to use. */
export type Report = {
  readonly title: string;
  readonly firstScreen: { readonly tried: readonly string[]; readonly cameOut: readonly string[]; readonly use: readonly string[] };
  readonly charts: readonly Chart[]; readonly tables: readonly Table[]; readonly provenance: readonly string[];
  /** A sentence for each layer of the study that was not run. */
  readonly notRun: readonly string[];
  /** No proposal was an answer: nothing follows from the run. */
  readonly allFailed: boolean;
};

export const isFigure = (cell: Cell): cell is Figure => typeof cell !== 'string';
