/** How often each number came: its sum is the same bytes for any order, which running floating sums are not. */

/** Occurrences by value. It stays as small as its values are few: costs, losses and confidences repeat. */
export type Tally = Map<number, number>;

/** Counts the value once more. */
export function tallyUp(tally: Tally, value: number): void {
  tally.set(value, (tally.get(value) ?? 0) + 1);
}

/** The sum of everything counted in all of them, from the smallest value to the largest; 0 for nothing. */
export function totalOf(tallies: Iterable<ReadonlyMap<number, number>>): number {
  const merged: Tally = new Map();
  for (const tally of tallies) for (const [value, times] of tally) merged.set(value, (merged.get(value) ?? 0) + times);
  return [...merged].sort(([one], [other]) => one - other).reduce((sum, [value, times]) => sum + value * times, 0);
}
