/** Seeded random streams: what an episode draws depends on (seed, episode, purpose) and never on timing or order. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { digestOf } from './digest.ts';

/** A stream of draws. Two streams made with the same three words give the same draws. */
export type RandomStream = {
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** A number from 0 (included) to 1 (excluded), in steps of 2^-31. */
  fraction(): number;
  /** One of the items, each equally likely. @throws RangeError for an empty list. */
  pick<T>(items: readonly T[]): T;
};

/** The stream of one purpose in one episode of one seed (xoroshiro128+, seeded from a digest of the three words). */
export function randomStream(seed: number, episode: string, purpose: string): RandomStream {
  const generator = xoroshiro128plus(Number.parseInt(digestOf([seed, episode, purpose]).slice(0, 8), 16) | 0);
  const integer = (min: number, max: number): number => uniformInt(generator, min, max);
  return {
    integer,
    fraction: () => integer(0, 2 ** 31 - 1) / 2 ** 31,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('Nothing to pick from.');
      return items[integer(0, items.length - 1)] as (typeof items)[number];
    },
  };
}
