/** The intervals of the main rates: by resampled templates, and as if decisions were independent. */
import { controllerNames } from '../../../contract/controller.ts';
import type { Interval } from '../../study/value.ts';
import { inWords } from '../figure.ts';
import type { Table } from '../model.ts';
import type { StudyView } from '../study-view.ts';

const percents = ({ low, high, reason }: Interval): string => (reason === null ? `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}%` : inWords(reason));
const units = ({ low, high, reason }: Interval): string => (reason === null ? `${low.toFixed(3)} to ${high.toFixed(3)}` : inWords(reason));

export function intervalTable({ summary }: StudyView): Table {
  const rows = summary.proposers.flatMap(({ proposer, profiles }) => controllerNames.flatMap((name) => {
    const found = profiles.canonical.controllers[name];
    if (found === undefined) return [];
    const { unsafe, safeSuccess } = found.rates;
    return [[proposer, name, percents(unsafe.clustered), percents(unsafe.wilson), percents(safeSuccess.clustered), percents(safeSuccess.wilson), units(found.expectedLoss.clustered)]];
  }));
  return {
    id: 'intervals', title: 'Intervals', labels: 2, head: ['proposer', 'controller', 'unsafe, by template', 'unsafe, Wilson', 'safe success, by template', 'safe success, Wilson', 'expected loss, by template'],
    caption: '95% intervals on canonical telemetry. The paper\'s text prints none.', rows, notes: ['By template: 2,000 resamples of whole templates, percentile method. Wilson takes decisions for independent and is too narrow where they are not.'],
  };
}
