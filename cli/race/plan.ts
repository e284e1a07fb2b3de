/** The race as data: which commits, which strikes, when, and where the line is cut. Everything here is drawn from the seed. */
import { randomStream } from '../../contract/random.ts';
import type { Cut } from './cut-proxy.ts';
import type { Family } from './families.ts';
import { arenas, type Arena } from './targets.ts';

/** One commit and what strikes it. Times are milliseconds after both were let go. */
export type Bout = {
  readonly target: number;
  readonly family: Family;
  readonly commitAfterMs: number;
  /** Whether the commit is let go only when the strike has committed. */
  readonly commitWhenStruck: boolean;
  readonly strikeAfterMs: number;
  /** How long the strike's transaction stays open after its write, so that the commit meets a held lock. */
  readonly openMs: number;
  /** Whether the strike is taken back at once, so that the commit may meet a state that went and came back (ABA); else after the commit. */
  readonly backAtOnce: boolean;
  readonly cut: PlannedCut | null;
};

/** Where the line is cut, and how the driver settles what it does not know. Soon after the cut, the commit may still be in flight. */
type PlannedCut = { readonly at: Cut; readonly settleAfterMs: number; readonly settleBy: 'again' | 'closing' };

/** One world of one guard, and its bouts in their order. */
export type WorldPlan = { readonly index: number; readonly arena: Arena; readonly bouts: readonly Bout[] };

/** Bouts in one world: enough to share its policy and epoch, few enough for the judge. */
const boutsAWorld = 25;

/** One commit in so many is cut: 2 %. */
const oneCutIn = 50;

/** The worlds of one guard; every guard of a seed gets the same. The cuts are a fixed share and alternate, so that both kinds occur in any race of 100 commits. */
export function planRace(seed: number, commits: number): WorldPlan[] {
  const firstCut = randomStream(seed, 'race', 'cuts').integer(0, oneCutIn - 1);
  const worlds: WorldPlan[] = [];
  for (let index = 0; index * boutsAWorld < commits; index += 1) {
    const arena = arenas[index % arenas.length] as Arena;
    const draw = randomStream(seed, String(index), 'bouts');
    const size = Math.min(boutsAWorld, commits - index * boutsAWorld);
    const bouts = Array.from({ length: size }, (_, target): Bout => {
      const number = index * boutsAWorld + target;
      const family = draw.pick(arena.families);
      return {
        target, family,
        // A commit waits for the lock of any strike but an unrelated one, which would be over in time only by luck.
        commitAfterMs: draw.integer(0, 8), commitWhenStruck: family === 'unrelated' && draw.integer(0, 1) === 0, strikeAfterMs: draw.integer(0, 4), openMs: draw.integer(0, 4), backAtOnce: draw.integer(0, 3) === 0,
        cut: number % oneCutIn === firstCut ? planCut(Math.floor(number / oneCutIn), draw.integer(0, 3) * 10) : null,
      };
    });
    worlds.push({ index, arena, bouts });
  }
  return worlds;
}

function planCut(which: number, settleAfterMs: number): PlannedCut {
  return { at: which % 2 === 0 ? 'answer' : 'commit', settleAfterMs, settleBy: Math.floor(which / 2) % 2 === 0 ? 'again' : 'closing' };
}
