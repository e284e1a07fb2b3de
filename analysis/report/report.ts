/** Puts a study's report together: data only, in one order, so that the same outcomes give the same report. */
import { guardPrecisionChart } from './figures/guard-precision.ts';
import { costSweepChart, priceSweepChart } from './figures/lines.ts';
import { reliabilityChart } from './figures/reliability.ts';
import { replanningChart } from './figures/replanning.ts';
import { firstScreen } from './first-screen.ts';
import type { Layer } from './layers/layer.ts';
import { layersOf, notRun } from './layers/layers.ts';
import type { Report } from './model.ts';
import type { StudyView } from './study-view.ts';
import { calibrationTable, reliabilityTable } from './tables/calibration.ts';
import { allControllersTable, degradedTable, guardPrecisionTable, incompletePredicateTable } from './tables/controllers.ts';
import { directExecutionTable } from './tables/direct-execution.ts';
import { elsewhereTable } from './tables/elsewhere.ts';
import { worstGroupTable } from './tables/groups.ts';
import { intervalTable } from './tables/intervals.ts';
import { leftOutTable } from './tables/left-out.ts';
import { pairedTable } from './tables/paired.ts';
import { raceClassTable } from './tables/race-classes.ts';
import { routerTable } from './tables/routers.ts';
import { supportTable } from './tables/support.ts';
import { premiumSweepTable, priceSweepTable } from './tables/sweeps.ts';

/** The report of a run. Tables without a row are left out. */
export function buildReport(view: StudyView, layers: readonly Layer[] = layersOf(view)): Report {
  const { summary, settings, beside } = view;
  const asked = replanningChart(view);
  const tables = [raceClassTable, directExecutionTable, guardPrecisionTable, incompletePredicateTable, routerTable, supportTable, leftOutTable, allControllersTable, degradedTable, premiumSweepTable, priceSweepTable, calibrationTable, reliabilityTable, worstGroupTable, pairedTable, intervalTable]
    .map((make) => make(view)).filter(({ rows }) => rows.length > 0);
  const central = tables.findIndex(({ id }) => id === 'routers'); // layers follow the central result
  return {
    title: 'What to check before an agent commits',
    firstScreen: firstScreen(view),
    charts: [guardPrecisionChart(view), ...(asked === null ? [] : [asked]), costSweepChart(view), priceSweepChart(view), reliabilityChart(view)],
    tables: [...tables.slice(0, central), ...layers.flatMap((layer) => layer.tables), ...tables.slice(central), elsewhereTable(layers)],
    notRun: notRun(layers),
    provenance: [
      `Folder ${settings.folder}; design ${settings.design}; seeds ${settings.seeds.join(', ')}; telemetry ${settings.telemetry}; ${String(view.outcomes.length)} outcomes.`,
      ...(beside.length === 0 ? [] : [`Beside it: ${beside.map(({ folder, seeds, outcomes }) => `${folder} (seeds ${seeds.join(', ')}; ${String(outcomes.length)} outcomes)`).join('; ')}.`]),
      ...settings.proposers.map(({ name, digest }) => `Proposer ${name}: ${digest === null ? 'canned answers, no model' : `model ${digest}`}.`),
      'Paper: "Stale Does Not Mean Unsafe: Guard Precision for Tool-Using LLM Agents under Infrastructure State Races". "Paper:" under a figure is what its text prints, at its precision; it enters no figure of ours.',
    ],
    allFailed: summary.proposers.every(({ answers }) => answers.act + answers.abstain === 0),
  };
}
