/** What the paper's text reports and a folder of frozen outcomes cannot have. */
import { printedElsewhere } from '../../study/printed.ts';
import type { Table } from '../model.ts';

export function elsewhereTable(): Table {
  return {
    id: 'not-in-this-run', title: 'Not in this run', labels: 1, head: ['result', 'the paper prints', 'where', 'why it is not here'],
    caption: 'Results of the paper\'s text that frozen outcomes cannot show. None of these figures is ours.', rows: printedElsewhere.map(({ result, text, place, why }) => [result, text, place, why]), notes: [],
  };
}
