/** The Wilson score interval of a proportion. */
import type { Interval } from './value.ts';

/** The 97.5 % point of the standard normal distribution. The library's `probit` is off in the fourth decimal. */
export const z95 = 1.959963984540054;

/**
 * (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n) with p = successes/n (Wilson 1927; method 3 of Newcombe, Statistics in Medicine 17 (1998) 857).
 * Clipped to 0 to 1, and exactly 0 for no success and 1 for no failure, which floating point misses. Null, `no_decisions`, at n = 0. It takes the n for
 * independent: where they come in clusters, the bootstrap interval is the one to read.
 */
export function wilsonInterval(successes: number, n: number, z: number = z95): Interval {
  if (n === 0) return { low: null, high: null, reason: 'no_decisions' };
  const share = successes / n;
  const scale = 1 + (z * z) / n;
  const centre = (share + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / scale;
  return { low: successes === 0 ? 0 : Math.max(0, centre - half), high: successes === n ? 1 : Math.min(1, centre + half), reason: null };
}
