/** How far a freeze is, on one line. */
import { bar, inWords, type Progress } from '../start/progress.ts';
import { createEstimate } from '../start/time-left.ts';
import type { Freezing } from './run.ts';

/** Lines for a freeze: the cases that are observed, then what is done, what is asked now, and what is left of the time at the pace of the last minute. */
export function freezeProgress(progress: Pick<Progress, 'show'>, nowMs: () => number = Date.now): Required<Pick<Freezing, 'onObserved' | 'onProgress'>> {
  let estimate: ReturnType<typeof createEstimate> | undefined;
  return {
    onObserved: (done, all) => { progress.show(`${bar(done / Math.max(1, all))} ${String(done)}/${String(all)} cases observed`); },
    onProgress: ({ done, all, next }) => {
      estimate ??= createEstimate({ episodes: all, proposals: 0 });
      const leftMs = estimate(nowMs(), { ended: done, answered: 0 });
      const asking = next === undefined ? '' : `, ${next.proposer} under ${String(next.seed)}`;
      progress.show(`${bar(done / Math.max(1, all))} ${String(done)}/${String(all)} proposals${asking}, ${leftMs === null ? 'estimating' : `${inWords(leftMs)} left`}`);
    },
  };
}
