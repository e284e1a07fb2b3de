/** Differences between two controllers on the same decisions, with intervals from resampled templates. */
import type { EvaluatedOutcome } from '../../../contract/evaluated.ts';
import { bootstrapIntervals, type BootstrapInterval } from '../../study/bootstrap.ts';
import { decisionKey } from '../../study/cells.ts';
import type { Comparison } from '../../study/summarize-profile.ts';
import { inWords } from '../figure.ts';
import type { Table } from '../model.ts';
import type { StudyView } from '../study-view.ts';

const labels = { unsafe: 'unsafe commits', safeSuccess: 'safe success', wrongEffect: 'wrong effect', committed: 'commits' } as const;
const points = (share: number): string => (100 * share).toFixed(1).replace(/^-0\.0$/, '0.0');

export function pairedTable({ summary, outcomes }: StudyView): Table {
  const rows = summary.proposers.flatMap(({ proposer, profiles }) => {
    const own = outcomes.filter((outcome) => outcome.proposer === proposer && outcome.telemetry === 'canonical');
    return profiles.canonical.comparisons.map((of) => {
      const { first, second, metric, pairs, b, c, difference, p, neverDiffer } = of;
      const bounds = intervalOf(own, of, proposer);
      return [proposer, `${first} less ${second}`, labels[metric], String(pairs), String(b), String(c), difference.value === null ? inWords(difference.reason) : points(difference.value), bounds.reason === null ? `${points(bounds.low)} to ${points(bounds.high)}` : inWords(bounds.reason), neverDiffer ? 'never differ' : p < 0.001 ? '< 0.001' : p.toFixed(3)];
    });
  });
  return {
    id: 'paired-differences', title: 'Paired differences', labels: 3, head: ['proposer', 'comparison', 'measure', 'pairs', 'only the first', 'only the second', 'difference, points', '95% interval', 'p (McNemar)'],
    caption: 'Differences in percentage points on the same decisions, canonical telemetry. The paper\'s text prints no difference with an interval.', rows,
    notes: ['Intervals resample whole templates; p is exact, two-sided, and takes decisions for independent, so read the interval where the two disagree.'],
  };
}

/** Percentile interval of the difference over resampled templates. */
function intervalOf(own: readonly EvaluatedOutcome[], { first, second, metric }: Comparison, label: string): BootstrapInterval {
  const others = new Map(own.flatMap((outcome) => (outcome.controller === second ? [[decisionKey(outcome), outcome] as const] : [])));
  const byTemplate = new Map<string, { sum: number; pairs: number }>();
  for (const outcome of own) {
    const other = outcome.controller === first ? others.get(decisionKey(outcome)) : undefined;
    if (other === undefined) continue;
    const { sum, pairs } = byTemplate.get(outcome.template) ?? { sum: 0, pairs: 0 };
    byTemplate.set(outcome.template, { sum: sum + Number(outcome[metric]) - Number(other[metric]), pairs: pairs + 1 });
  }
  const items = [...byTemplate].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, part]) => part);
  const difference = (drawn: typeof items): number | null => {
    const pairs = drawn.reduce((all, part) => all + part.pairs, 0);
    return pairs === 0 ? null : drawn.reduce((all, part) => all + part.sum, 0) / pairs;
  };
  return bootstrapIntervals({ items, sizeOf: ({ pairs }) => pairs }, { difference: (drawn) => difference([...drawn]) }, { seed: 13, label }).difference;
}
