/** Medians and percentiles of a bench. */

/** The p-th percentile by the nearest rank (NIST, Engineering Statistics Handbook, 7.2.6.2 gives the family): NaN for no values. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle value; of an even number the lower of the two middle ones. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Rounded to a number of decimals, for printing. */
export function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
