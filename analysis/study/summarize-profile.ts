/** All that is said of one proposer under one telemetry profile. */
import type { ControllerName } from '../../contract/controller.ts';
import { bootstrapIntervals, type BootstrapInterval, type Statistic } from './bootstrap.ts';
import { partsOf, type Cell } from './cells.ts';
import { countCell, meanCost, rateNamed, rateNames, type ControllerCounts, type RateName } from './counts.ts';
import { cellsOf, comparedMetrics, comparedPairs, pairsOf, type PlannedStrata, type ProfileFold } from './fold-profile.ts';
import { meanOf, worstGroup, type WorstGroup } from './groups.ts';
import { expectedLoss, lossTerms, sweepPremium, sweepPrices, type PremiumSweep, type Prices, type SweepPoint } from './loss.ts';
import { pairedDifference, type PairedDifference, type PairedMetric } from './paired.ts';
import type { Interval, Measure, Rate } from './value.ts';
import { wilsonInterval } from './wilson.ts';

/** `wilson` takes decisions for independent, `clustered` resamples templates. */
export type RateSummary = Rate & { readonly wilson: Interval; readonly clustered: BootstrapInterval };

/** One controller. The intervals of cost and loss are clustered by template. */
export type ControllerSummary = {
  readonly counts: ControllerCounts;
  readonly rates: Readonly<Record<RateName, RateSummary>>;
  readonly meanCost: Measure & { readonly clustered: BootstrapInterval };
  readonly expectedLoss: Measure & { readonly clustered: BootstrapInterval };
  readonly regret: Measure;
  readonly worstTemplate: WorstGroup;
  readonly worstDomain: WorstGroup;
};

export type Comparison = PairedDifference & { readonly first: ControllerName; readonly second: ControllerName; readonly metric: PairedMetric };

export type ProfileSummary = {
  readonly controllers: Readonly<Partial<Record<ControllerName, ControllerSummary>>>;
  readonly oracleLoss: Measure;
  readonly priceSweep: readonly SweepPoint[];
  readonly premiumSweep: PremiumSweep;
  readonly comparisons: readonly Comparison[];
};

/** Settings of a profile's summary. `label` names the bootstrap's stream: one for a proposer, so that its controllers share their resamples. */
export type ProfileOptions = { readonly prices: Prices; readonly seed: number; readonly resamples: number; readonly label: string };

/** Summarizes a folded profile of the planned decisions. Controllers and comparisons without outcomes are absent. */
export function summarizeProfile(fold: ProfileFold, strata: PlannedStrata, options: ProfileOptions): ProfileSummary {
  const cells = cellsOf(fold, strata);
  const { least, distances } = fold.losses;
  const summaries = new Map([...cells].map(([name, cell]) => [name, summarizeController(cell, meanOf(distances.get(name) ?? new Map()), options)] as const));
  const terms = new Map([...summaries].map(([name, { counts }]) => [name, lossTerms(counts)] as const));
  const planned = [...strata.values()].reduce((sum, stratum) => sum + stratum.planned, 0);
  const comparisons = comparedPairs.filter((pair) => pair.every((name) => cells.has(name))).flatMap(([first, second]) => (
    comparedMetrics.map((metric) => ({ first, second, metric, ...pairedDifference(pairsOf(fold, [first, second], metric), planned) }))
  ));
  return { controllers: Object.fromEntries(summaries), oracleLoss: meanOf(least), priceSweep: sweepPrices(terms), premiumSweep: sweepPremium(terms, options.prices), comparisons };
}

function summarizeController(cell: Cell, regret: Measure, options: ProfileOptions): ControllerSummary {
  const counts = countCell(cell);
  const countBy = (of: 'template' | 'domain'): Map<string, ControllerCounts> => new Map([...partsOf(cell, of)].map(([name, part]) => [name, countCell(part)]));
  const templates = countBy('template');
  const clustered = bootstrapIntervals({ items: [...templates.values()].map(partsOfRatios), sizeOf: ({ decisions }) => decisions }, statisticsOf(options.prices), options);
  const rates = rateNames.map((name) => {
    const rate = rateNamed(name, counts);
    return [name, { ...rate, wilson: wilsonInterval(rate.numerator, rate.denominator), clustered: clustered[name] }] as const;
  });
  return {
    counts, rates: Object.fromEntries(rates) as Record<RateName, RateSummary>,
    meanCost: { ...meanCost(counts), clustered: clustered.meanCost }, expectedLoss: { ...expectedLoss(lossTerms(counts), options.prices), clustered: clustered.expectedLoss },
    regret, worstTemplate: worstGroup(templates), worstDomain: worstGroup(countBy('domain')),
  };
}

/** A template's share of each ratio, worked out once: resampling only adds them up. */
type Parts = Readonly<Record<RateName | 'meanCost', { readonly numerator: number; readonly denominator: number }>> & { readonly decisions: number };

function partsOfRatios(counts: ControllerCounts): Parts {
  const rates = Object.fromEntries(rateNames.map((name) => [name, rateNamed(name, counts)])) as Record<RateName, Rate>;
  return { ...rates, meanCost: { numerator: counts.cost, denominator: counts.decisions - counts.unjudged }, decisions: counts.decisions };
}

function statisticsOf(prices: Prices): Record<RateName | 'meanCost' | 'expectedLoss', Statistic<Parts>> {
  const loss: Statistic<Parts> = (drawn) => {
    const [unsafe, safe, cost] = [over(drawn, 'unsafe'), over(drawn, 'safeSuccess'), over(drawn, 'meanCost')];
    return unsafe === null || safe === null || cost === null ? null : prices.lambdaU * unsafe + prices.lambdaF * (1 - safe) + cost;
  };
  const rates = Object.fromEntries(rateNames.map((name): [RateName, Statistic<Parts>] => [name, (drawn) => over(drawn, name)])) as Record<RateName, Statistic<Parts>>;
  return { ...rates, meanCost: (drawn) => over(drawn, 'meanCost'), expectedLoss: loss };
}

/** The ratio of the drawn templates' sums. */
function over(drawn: readonly Parts[], name: RateName | 'meanCost'): number | null {
  let [numerator, denominator] = [0, 0];
  for (const one of drawn) {
    numerator += one[name].numerator;
    denominator += one[name].denominator;
  }
  return denominator === 0 ? null : numerator / denominator;
}
