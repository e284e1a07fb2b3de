/** Many calls with a bound on how many run at once, and waiting for a count to be reached. */
import { setTimeout as wait } from 'node:timers/promises';
import { say, UserError } from '../output.ts';

/** Calls `run` for every item, at most `most` at once. The first failure, or the abort, ends it after those that run. */
export async function bounded<T>(items: readonly T[], options: { most: number; signal?: AbortSignal }, run: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  const lane = async (): Promise<void> => {
    while (next < items.length && !failed) {
      options.signal?.throwIfAborted();
      const index = next;
      next += 1;
      await run(items[index] as T, index).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(options.most, items.length) }, lane));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
}

/** What to wait for. `what` is the verb of the progress line, which is said every five seconds. */
export type Awaited = { readonly what: string; readonly target: number; readonly count: () => Promise<number>; readonly signal: AbortSignal; readonly quiet?: boolean };

/** Most seconds without any progress. */
const stalledS = 120;

/** Asks ten times a second until the count reaches the target. @throws UserError where it stands still for two minutes */
export async function until({ what, target, count, signal, quiet = false }: Awaited): Promise<void> {
  let best = -1;
  let movedMs = performance.now();
  let saidMs = movedMs;
  for (;;) {
    signal.throwIfAborted();
    const now = await count();
    if (now >= target) return;
    if (now > best) [best, movedMs] = [now, performance.now()];
    if (performance.now() - movedMs > stalledS * 1000) throw new UserError(`Only ${String(now)} of ${String(target)} were ${what} and nothing moved for ${String(stalledS)} s.`);
    if (!quiet && performance.now() - saidMs > 5_000) {
      say(`${String(now)} of ${String(target)} ${what}`);
      saidMs = performance.now();
    }
    await wait(100, undefined, { signal }).catch(() => undefined);
  }
}
