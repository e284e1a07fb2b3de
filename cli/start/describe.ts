/** A run's result for people: the table, the report's path and the links. */
import { textTable } from '../../analysis/table.ts';
import { cannedModels } from '../records/plan.ts';
import type { RunDocument } from './run-batch.ts';

/** The text for a terminal. */
export function describeRun(document: RunDocument): string {
  const { links, report, models } = document;
  const canned = models.filter(({ name }) => cannedModels.includes(name)).map(({ name }) => name);
  return [
    textTable(document),
    '',
    ...(canned.length === 0 ? [] : [`${canned.join(' and ')}: canned proposals, no model was asked.`]),
    `Report:  ${report}`,
    ...(links === null ? ['Set TEMPORAL_UI_URL to get links into Temporal\'s UI.'] : [`UI:      ${links.ui}`, `Batch:   ${links.batch}`, ...(links.episode === null ? [] : [`Episode: ${links.episode}`])]),
  ].join('\n');
}
