/** Percentile intervals from a bootstrap that resamples whole clusters: repeats of one template are not independent. */
import { quantileSorted, sampleWithReplacement } from 'simple-statistics';
import { randomStream } from '../../contract/random.ts';
import type { Interval, NoValue } from './value.ts';

/** An interval and what it rests on. */
export type BootstrapInterval = Interval & {
  readonly clusters: number;
  readonly observations: number;
  /** Resamples in which the statistic was defined. */
  readonly resamples: number;
};

/** `label` keeps streams apart; statistics of one label and seed see the same resamples. `level` is the coverage, 0.95 by default. */
export type BootstrapOptions = { readonly seed: number; readonly label: string; readonly resamples?: number; readonly level?: number };

/** Resamples where none are asked for. */
export const defaultResamples = 2000;

/** The resampled clusters as drawn: a cluster that was drawn twice is there twice. Null where it cannot be said of them. */
export type Statistic<T> = (drawn: readonly T[]) => number | null;

/**
 * Draws as many clusters as there are, with replacement, and takes the (1-level)/2 and (1+level)/2 quantiles of each statistic over the resamples (Efron and
 * Tibshirani 1993, percentile method, with clusters as in Cameron, Gelbach and Miller 2008; quantiles of type 7). `sizeOf` tells a cluster's observations.
 * Equal values give zero width. Null: `too_few_clusters` under two clusters, `no_decisions` where the statistic is never defined.
 */
export function bootstrapIntervals<T, N extends string>(clusters: { readonly items: readonly T[]; readonly sizeOf: (item: T) => number }, statistics: Readonly<Record<N, Statistic<T>>>, options: BootstrapOptions): Record<N, BootstrapInterval> {
  const { items, sizeOf } = clusters;
  const { seed, label, resamples = defaultResamples, level = 0.95 } = options;
  const named = Object.entries(statistics) as [N, Statistic<T>][];
  const values = new Map<N, number[]>(named.map(([name]) => [name, []]));
  const stream = randomStream(seed, label, 'cluster-bootstrap');
  const [pool, draw] = [[...items], (): number => stream.fraction()];
  for (let round = 0; pool.length >= 2 && round < resamples; round += 1) {
    const drawn = sampleWithReplacement(pool, pool.length, draw);
    for (const [name, statistic] of named) {
      const value = statistic(drawn);
      if (value !== null) values.get(name)?.push(value);
    }
  }
  const on = { clusters: items.length, observations: items.reduce((sum, item) => sum + sizeOf(item), 0) };
  const none = (reason: NoValue): BootstrapInterval => ({ low: null, high: null, reason, ...on, resamples: 0 });
  const intervalOf = (name: N): BootstrapInterval => {
    const sorted = (values.get(name) ?? []).sort((a, b) => a - b);
    if (items.length < 2) return none('too_few_clusters');
    if (sorted.length === 0) return none('no_decisions');
    return { low: quantileSorted(sorted, (1 - level) / 2), high: quantileSorted(sorted, (1 + level) / 2), reason: null, ...on, resamples: sorted.length };
  };
  return Object.fromEntries(named.map(([name]) => [name, intervalOf(name)])) as Record<N, BootstrapInterval>;
}
