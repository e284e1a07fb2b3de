/** Estimates how long a batch still takes, from how fast it came along lately. */

/** How far a batch is: episodes that have ended, and distinct proposals that were answered. */
export type Position = { readonly ended: number; readonly answered: number };

/** What is planned in all. */
export type Plan = { readonly episodes: number; readonly proposals: number };

/** How far back the pace is measured, in milliseconds: long enough for a slow model, short enough to notice that replies are frozen. */
const lookBackMs = 45_000;

/**
 * Remembers positions and says how much time is left, in milliseconds; null until there is a pace. The slower of two paces decides: proposals while the
 * model is asked (its four episodes end soon after), episodes once all are answered.
 */
export function createEstimate(plan: Plan): (nowMs: number, at: Position) => number | null {
  const seen: { readonly nowMs: number; readonly at: Position }[] = [];
  return (nowMs, at) => {
    seen.push({ nowMs, at });
    while (seen.length > 2 && nowMs - (seen[1]?.nowMs ?? nowMs) > lookBackMs) seen.shift();
    const first = seen[0];
    if (first === undefined || nowMs === first.nowMs) return null;
    const left = (done: number, before: number, all: number): number | null => {
      if (done >= all) return 0;
      return done > before ? ((all - done) * (nowMs - first.nowMs)) / (done - before) : null;
    };
    const episodesMs = left(at.ended, first.at.ended, plan.episodes);
    const proposalsMs = left(at.answered, first.at.answered, plan.proposals);
    if (episodesMs === null && proposalsMs === null) return null;
    return Math.max(episodesMs ?? 0, proposalsMs ?? 0);
  };
}
