/** Where an evaluation's time goes. Times never come near an outcome: they have a file of their own. */

/** The parts of a decision's replay. */
export const parts = ['seed', 'change', 'observe', 'check', 'request', 'commit', 'score', 'write'] as const;
export type Part = (typeof parts)[number];

/** Adds up milliseconds by part. What runs at the same time is counted as often: only at concurrency 1 the parts add up to the whole. */
export type Clock = { time<T>(part: Part, work: Promise<T>): Promise<T>; readonly ms: Readonly<Record<Part, number>> };

/** A clock at zero. */
export function createClock(nowMs: () => number = () => performance.now()): Clock {
  const ms = Object.fromEntries(parts.map((part) => [part, 0])) as Record<Part, number>;
  return {
    ms,
    async time(part, work) {
      const startedMs = nowMs();
      try {
        return await work;
      } finally {
        ms[part] += nowMs() - startedMs;
      }
    },
  };
}

/** The sum of clocks. */
export function sumOf(clocks: readonly Pick<Clock, 'ms'>[]): Record<Part, number> {
  return Object.fromEntries(parts.map((part) => [part, clocks.reduce((sum, clock) => sum + clock.ms[part], 0)])) as Record<Part, number>;
}
