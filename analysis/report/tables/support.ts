/** How much of what the learned router saw was like nothing that it was trained on. */
import { rateOf } from '../../study/value.ts';
import { rateFigure } from '../figure.ts';
import type { Table } from '../model.ts';
import { audienceOf, type StudyView } from '../study-view.ts';

export function supportTable({ summary, support }: StudyView): Table {
  const rows = summary.proposers.flatMap((of) => support.filter(({ proposer }) => proposer === of.proposer).map(({ telemetry, decisions, outside, strong, conditions, inside, unsafeInside, unsafeOutside }) => {
    const [audience, share] = [audienceOf(of), (numerator: number, denominator: number) => rateOf({ numerator, denominator, excluded: 0, unjudged: 0 })];
    return [
      of.proposer, telemetry, rateFigure(share(outside, decisions), `outside-support/${telemetry}`, audience), rateFigure(share(strong, outside), 'outside-support/strong', audience),
      conditions.length === 0 ? 'none' : conditions.join(', '), rateFigure(share(unsafeOutside, outside), 'outside-support/unsafe', audience), rateFigure(share(unsafeInside, inside), 'inside-support/unsafe', audience),
    ];
  }));
  return {
    id: 'outside-support', title: 'Outside development support', labels: 2, head: ['proposer', 'telemetry', 'outside support', 'verified strongly there', 'conditions outside', 'unsafe outside', 'unsafe inside'],
    caption: 'Decisions whose age bucket and status family the learned router had never seen in development; it falls back to strong verification on these.', rows,
    notes: ['Verified strongly: all of them but those on which the proposer did not act. Unsafe inside: a hidden change that looks like a clean read is inside support, and no such router can see it.'],
  };
}
