/** A number that may be undefined: then it is null and says why, so that no table and no JSON ever shows NaN. */

/** Why a statistic has no value. */
export type NoValue =
  /** Nothing to divide by. */
  | 'no_decisions'
  /** No decision has a confidence and an action. */
  | 'no_scores'
  /** All right or all wrong: nothing to tell apart. */
  | 'single_class'
  /** Fewer than two clusters: nothing says how they differ. */
  | 'too_few_clusters'
  /** A controller that the statistic compares has no outcome. */
  | 'no_outcomes'
  /** No question went to a model. */
  | 'no_model_asked'
  /** A price multiplies a cost of zero. */
  | 'costs_nothing'
  /** An average over proposers, one of which has no value. */
  | 'undefined_for_a_proposer';

export type Measure = { readonly value: number; readonly reason: null } | { readonly value: null; readonly reason: NoValue };

/** A share of decisions by intention: every planned decision that the rate speaks of is in `denominator`, whatever became of it. */
export type Rate = Measure & {
  readonly numerator: number;
  readonly denominator: number;
  /** Decisions that the rate does not speak of (other race classes); 0 for the main rates. */
  readonly excluded: number;
  /** Decisions of the denominator without an outcome: the true rate lies from `value` to `highest`. */
  readonly unjudged: number;
  /** (numerator + unjudged) / denominator; null where `value` is. */
  readonly highest: number | null;
};

/** Bounds of an interval, or null for both and why. */
export type Interval = { readonly low: number; readonly high: number; readonly reason: null } | { readonly low: null; readonly high: null; readonly reason: NoValue };

export function measured(value: number): Measure {
  return { value, reason: null };
}

export function noValue(reason: NoValue): Measure {
  return { value: null, reason };
}

/** numerator / denominator; null, `no_decisions`, where the denominator is 0. */
export function ratioOf(numerator: number, denominator: number): Measure {
  return denominator === 0 ? noValue('no_decisions') : measured(numerator / denominator);
}

/** numerator / denominator with its counts; null, `no_decisions`, where the denominator is 0 (`shared/cases/troubles.md`, entry 25). */
export function rateOf(counts: Pick<Rate, 'numerator' | 'denominator' | 'excluded' | 'unjudged'>): Rate {
  const { numerator, denominator, unjudged } = counts;
  return { ...counts, ...ratioOf(numerator, denominator), highest: denominator === 0 ? null : (numerator + unjudged) / denominator };
}

/** Three decimals, as the reference prints them; null stays null. */
export function toThreeDecimals({ value }: Measure): number | null {
  return value === null ? null : Number(value.toFixed(3));
}

/** The unweighted mean of the values; null for none (`no_decisions`) and where one has none (`undefined_for_a_proposer`). */
export function macroAverage(measures: readonly Measure[]): Measure {
  const values = measures.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length < measures.length) return noValue('undefined_for_a_proposer');
  return ratioOf(values.reduce((sum, value) => sum + value, 0), values.length);
}
