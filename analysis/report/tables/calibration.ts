/** Whether what a proposer says of its confidence means anything. */
import { countFigure, fixed, numberFigure } from '../figure.ts';
import type { Table } from '../model.ts';
import { audienceOf, type StudyView } from '../study-view.ts';

export function calibrationTable({ summary }: StudyView): Table {
  return {
    id: 'calibration', title: 'Confidence', labels: 1, head: ['proposer', 'scored actions', 'not scored', 'right', 'AUROC', 'Brier score', 'ECE'],
    caption: 'Stated confidence against whether executing the action was a safe success.',
    rows: summary.proposers.map((of) => {
      const [audience, { n, excluded, correct, auroc, brier, ece }] = [audienceOf(of), of.calibration];
      return [of.proposer, countFigure(n, 'scored', audience), countFigure(excluded, 'not-scored', audience), countFigure(correct, 'right', audience), numberFigure(auroc, 'auroc', audience), numberFigure(brier, 'brier', audience), numberFigure(ece, 'ece', audience)];
    }),
    notes: ['AUROC: the chance that a right action has the higher confidence; 0.5 tells nothing. ECE: ten bins. Not scored: no action, or no confidence stated.'],
  };
}

/** The data of the reliability diagram. Empty bins have no row. */
export function reliabilityTable({ summary }: StudyView): Table {
  const rows = summary.proposers.flatMap(({ proposer, calibration }) => calibration.bins.flatMap(({ low, high, count, confidence, accuracy }) =>
    (confidence === null || accuracy === null ? [] : [[proposer, `${String(low)} to ${String(high)}`, String(count), fixed(confidence), fixed(accuracy)]])));
  return { id: 'reliability', title: 'Reliability by bin', labels: 2, head: ['proposer', 'confidence', 'actions', 'mean confidence', 'share right'], caption: 'Ten bins of stated confidence; empty ones are left out. The paper\'s bins are not printed.', rows, notes: [] };
}
