/** What came of asking again, on the decisions on which all kinds of notice compare. */
import { ReplanKind } from '../../../contract/replanned.ts';
import { replanningCounts, type ReplanCounts } from '../../study/replanning.ts';
import { wilsonInterval } from '../../study/wilson.ts';
import type { Chart } from '../model.ts';
import type { StudyView } from '../study-view.ts';
import { kindNames } from '../tables/replanning.ts';
import { dotsInWords, panelsOf, type Dot } from './panels.ts';

/** Counts of replans: the one that is shown, and of how many. */
type Panel = { readonly label: string; readonly of: (counts: ReplanCounts) => readonly [number, number] };
const panels: readonly Panel[] = [
  { label: 'Unsafe, of all', of: ({ unsafe, population }) => [unsafe, population] },
  { label: 'Unsafe, of those committed again', of: ({ unsafe, recommitted }) => [unsafe, recommitted] },
  { label: 'Abstained', of: ({ abstained, population }) => [abstained, population] },
  { label: 'Safe success', of: ({ safeSuccess, population }) => [safeSuccess, population] },
];

/** Null where the layer was not run. */
export function replanningChart({ replans }: StudyView): Chart | null {
  if (replans === null) return null;
  const dots = [...new Set(replans.map(({ proposer }) => proposer))].sort().flatMap((proposer) => {
    const { matched } = replanningCounts(replans.filter((replan) => replan.proposer === proposer));
    return panels.flatMap(({ label, of }) => ReplanKind.options.flatMap((kind): Dot[] => {
      const [count, all] = of(matched[kind]);
      const { low, high } = wilsonInterval(count, all);
      return low === null ? [] : [{ proposer, row: kindNames[kind], panel: label, percent: (100 * count) / all, low: 100 * low, high: 100 * high }];
    }));
  });
  return {
    id: 'replanning', title: 'Asked again', table: 'replanning',
    caption: 'Share of the decisions on which the version guard fires, by what the proposer was told and who proposed. Lines: 95% intervals (Wilson), too narrow where decisions of one template are alike. Left is better in the first two panels, right in the last.',
    alternative: dots.length === 0 ? 'The version guard fires on none of these decisions, so there is nothing to draw.' : `Dot chart in four panels. ${dotsInWords(dots)}.`,
    spec: panelsOf(dots, { panels: panels.map(({ label }) => label), rows: ReplanKind.options.map((kind) => kindNames[kind]) }),
  };
}
