/** The central figure: what each guard lets through and what it blocks in vain. */
import type { ControllerName } from '../../../contract/controller.ts';
import type { RateName } from '../../study/counts.ts';
import type { Chart } from '../model.ts';
import type { StudyView } from '../study-view.ts';
import { dotsInWords, panelsOf, type Dot } from './panels.ts';

const shown: readonly ControllerName[] = ['always-execute', 'epoch-guard', 'version-guard', 'predicate-guard', 'always-strong'];
const panels: readonly { readonly name: RateName; readonly label: string }[] = [
  { name: 'unsafe', label: 'Unsafe commits' }, { name: 'blockedPreserving', label: 'Predicate-preserving races blocked' },
  { name: 'blockedIrrelevant', label: 'Irrelevant races blocked' }, { name: 'safeSuccess', label: 'Safe success' },
];

export function guardPrecisionChart({ summary }: StudyView): Chart {
  const dots = summary.proposers.flatMap(({ proposer, profiles }) => shown.flatMap((controller) => panels.flatMap(({ name, label }): Dot[] => {
    const rate = profiles.canonical.controllers[controller]?.rates[name];
    if (rate === undefined || rate.value === null) return [];
    const [low, high] = [rate.clustered.low ?? rate.value, rate.clustered.high ?? rate.value];
    return [{ proposer, row: controller, panel: label, percent: 100 * rate.value, low: 100 * low, high: 100 * high }];
  })));
  return {
    id: 'guard-precision', title: 'Guard precision', table: 'guard-precision', caption: 'Share of decisions, by proposer. Lines: 95% intervals over templates. Left is better in the first three panels, right in the last.',
    alternative: dots.length === 0 ? 'No guard has an outcome, so there is nothing to draw.' : `Dot chart in four panels. ${dotsInWords(dots)}.`,
    spec: panelsOf(dots, { panels: panels.map(({ label }) => label), rows: shown }),
  };
}
