/** The worst template and domain of each controller, and its distance to an oracle. */
import { numberFigure, rateFigure } from '../figure.ts';
import type { Table } from '../model.ts';
import type { WorstGroup } from '../../study/groups.ts';
import { audienceOf, type StudyView } from '../study-view.ts';
import { controllerNames } from '../../../contract/controller.ts';

export function worstGroupTable({ summary }: StudyView): Table {
  const rows = summary.proposers.flatMap((of) => controllerNames.flatMap((name) => {
    const found = of.profiles.canonical.controllers[name];
    if (found === undefined) return [];
    const audience = audienceOf(of);
    const worst = (group: WorstGroup): readonly [string, ReturnType<typeof rateFigure> | string] => (group === null ? ['none', 'no decisions'] : group.unsafe.numerator === 0 ? ['none unsafe', rateFigure(group.unsafe, 'worst', audience)] : [group.group, rateFigure(group.unsafe, 'worst', audience)]);
    return [[of.proposer, name, ...worst(found.worstTemplate), ...worst(found.worstDomain), numberFigure(found.regret, 'regret', audience)]];
  }));
  return {
    id: 'worst-group', title: 'Worst group and regret', labels: 2, head: ['proposer', 'controller', 'worst template', 'its unsafe commits', 'worst domain', 'its unsafe commits', 'regret'],
    caption: 'The group with the highest unsafe rate (the first by name of several), and the mean loss above an oracle that picks the cheapest controller for each decision.', rows, notes: [],
  };
}
