/** The central figure: what each guard lets through and what it blocks in vain. */
import type { TopLevelSpec } from 'vega-lite';
import type { ControllerName } from '../../../contract/controller.ts';
import type { RateName } from '../../study/counts.ts';
import type { Chart } from '../model.ts';
import type { StudyView } from '../study-view.ts';
import { colours, config, schemaUrl, shapes } from './style.ts';

const shown: readonly ControllerName[] = ['always-execute', 'epoch-guard', 'version-guard', 'predicate-guard', 'always-strong'];
const panels: readonly { readonly name: RateName; readonly label: string }[] = [
  { name: 'unsafe', label: 'Unsafe commits' }, { name: 'blockedPreserving', label: 'Predicate-preserving races blocked' },
  { name: 'blockedIrrelevant', label: 'Irrelevant races blocked' }, { name: 'safeSuccess', label: 'Safe success' },
];

/** What stands in a `vconcat`. */
type UnitSpecs = Extract<TopLevelSpec, { vconcat: unknown }>['vconcat'][number];

type Point = { readonly proposer: string; readonly controller: string; readonly panel: string; readonly percent: number; readonly low: number; readonly high: number };

export function guardPrecisionChart({ summary }: StudyView): Chart {
  const points = summary.proposers.flatMap(({ proposer, profiles }) => shown.flatMap((controller) => panels.flatMap(({ name, label }): Point[] => {
    const rate = profiles.canonical.controllers[controller]?.rates[name];
    if (rate === undefined || rate.value === null) return [];
    const [low, high] = [rate.clustered.low ?? rate.value, rate.clustered.high ?? rate.value];
    return [{ proposer, controller, panel: label, percent: 100 * rate.value, low: 100 * low, high: 100 * high }];
  })));
  const words = points.map(({ proposer, controller, panel, percent }) => `${proposer}, ${controller}: ${panel.toLowerCase()} ${percent.toFixed(1)}%`);
  return {
    id: 'guard-precision', title: 'Guard precision', table: 'guard-precision', caption: 'Share of decisions, by proposer. Lines: 95% intervals over templates. Left is better in the first three panels, right in the last.',
    alternative: points.length === 0 ? 'No guard has an outcome, so there is nothing to draw.' : `Dot chart in four panels. ${words.join('; ')}.`,
    spec: points.length === 0 ? null : {
      $schema: schemaUrl, config, spacing: 12,
      vconcat: panels.map(({ label }, n) => panelOf(label, points.filter(({ panel }) => panel === label), n === panels.length - 1)),
    },
  };
}

/** One panel; the axis's title under the last only. */
function panelOf(label: string, values: Point[], isLast: boolean): UnitSpecs {
  return {
    title: label, width: 210, height: { step: 18 }, data: { values },
    layer: [
      { mark: { type: 'rule', strokeWidth: 1.5 }, encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } } },
      { mark: { type: 'point', filled: true, size: 70, opacity: 1 }, encoding: { x: { field: 'percent', type: 'quantitative' }, shape: { field: 'proposer', type: 'nominal', scale: { range: shapes } } } },
    ],
    encoding: {
      x: { type: 'quantitative', scale: { domain: [0, 100] }, axis: { title: isLast ? 'percent' : null, values: [0, 25, 50, 75, 100] } },
      y: { field: 'controller', type: 'nominal', sort: [...shown], axis: { title: null } },
      yOffset: { field: 'proposer', type: 'nominal' }, color: { field: 'proposer', type: 'nominal', scale: { range: colours } },
    },
  };
}
