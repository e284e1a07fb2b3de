/** What the paper's text reports and this report has nothing to set beside. */
import { printedElsewhere } from '../../study/printed.ts';
import type { Layer } from '../layers/layer.ts';
import type { Table } from '../model.ts';

/** Without the results of layers that are there. */
export function elsewhereTable(layers: readonly Layer[]): Table {
  const rows = printedElsewhere.filter(({ layer }) => layers.every(({ name }) => name !== layer)).map(({ result, text, place, why }) => [result, text, place, why]);
  return { id: 'not-in-this-run', title: 'Not in this run', labels: 1, head: ['result', 'the paper prints', 'where', 'why it is not here'], caption: 'Results of the paper\'s text that these outcomes cannot show. None of these figures is ours.', rows, notes: [] };
}
