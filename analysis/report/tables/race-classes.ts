/** How many decisions of each race class every proposer had. */
import { RaceClass } from '../../../contract/evaluated.ts';
import { countFigure } from '../figure.ts';
import type { Table } from '../model.ts';
import { audienceOf, type StudyView } from '../study-view.ts';

export function raceClassTable({ summary, settings }: StudyView): Table {
  return {
    id: 'race-classes', title: 'Race classes', labels: 1, head: ['proposer', 'decisions', ...RaceClass.options],
    caption: 'Decisions of each proposer by how a race bears on the proposed action.',
    rows: summary.proposers.map((of) => {
      const audience = audienceOf(of);
      return [of.proposer, countFigure(of.json.decisions, settings.design === 'pilot' ? 'decisions/pilot' : 'decisions', audience), ...RaceClass.options.map((race) => countFigure(of.json.raceClasses[race], `race/${race}`, audience))];
    }),
    notes: ['Invalidating: the action must not happen any more. Preserving: something that was read has moved, yet the action is still right. Irrelevant: something else has moved. Clean: nothing has.'],
  };
}
