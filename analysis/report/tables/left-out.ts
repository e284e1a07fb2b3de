/** The learned router on what it was not fitted on: held-out templates, one fault family, one domain. */
import { rateOf, ratioOf } from '../../study/value.ts';
import { numberFigure, rateFigure } from '../figure.ts';
import type { Table } from '../model.ts';
import { audienceOf, type LeftOut, type StudyView } from '../study-view.ts';

const kinds: Readonly<Record<LeftOut['kind'], { readonly label: string; readonly key: string }>> = {
  template: { label: 'held-out templates', key: 'support-router/held-out' }, fault: { label: 'one fault family', key: 'leave-one-fault-out' }, domain: { label: 'one domain', key: 'leave-one-domain-out' },
};

export function leftOutTable({ summary, leftOut }: StudyView): Table {
  const rows = summary.proposers.flatMap((of) => leftOut.filter(({ proposer }) => proposer === of.proposer).map(({ kind, heldOut, decisions, outside, unsafe, cost }) => {
    const audience = audienceOf(of);
    const { label, key } = kinds[kind];
    const share = (numerator: number) => rateOf({ numerator, denominator: decisions, excluded: 0, unjudged: 0 });
    return [of.proposer, label, heldOut, rateFigure(share(outside), `outside/${key}`, audience), rateFigure(share(unsafe), `unsafe/${key}`, audience), numberFigure(ratioOf(cost, decisions), `cost/${key}`, audience)];
  }));
  return {
    id: 'left-out', title: 'Left out of the fit', labels: 3, head: ['proposer', 'what', 'left out', 'never seen in the fit', 'unsafe commits', 'mean cost'],
    caption: 'The learned router on cases that it was not fitted on, canonical telemetry.', rows,
    notes: ['Never seen in the fit: decisions whose age bucket and status family the fit has no case of; these are verified strongly.', 'Held-out templates: the weights of the repository on templates that they were not made from. One family or domain: fitted on this run\'s other outcomes, then tried on the one left out; each action\'s outcome is the one that the fixed controller with that action had in its own world.'],
  };
}
