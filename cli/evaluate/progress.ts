/** How far an evaluation is, on one line. */
import { bar, createProgress, inWords, type Progress } from '../start/progress.ts';
import { createEstimate } from '../start/time-left.ts';

/** Shows decisions; says what must be known even where nothing is shown. */
export type EvaluationProgress = { readonly show: (done: number, all: number) => void } & Pick<Progress, 'say' | 'clear'>;

/** The line with an estimate of what is left, or none. */
export function progressOf(isQuiet: boolean, progress: Progress = createProgress()): EvaluationProgress {
  let estimate: ReturnType<typeof createEstimate> | undefined;
  return {
    say: (line) => { progress.say(line); },
    clear: () => { progress.clear(); },
    show: (done, all) => {
      if (isQuiet) return;
      estimate ??= createEstimate({ episodes: all, proposals: 0 });
      const leftMs = estimate(Date.now(), { ended: done, answered: 0 });
      progress.show(`${bar(done / Math.max(1, all))} ${String(done)}/${String(all)} decisions, ${leftMs === null ? 'estimating' : `${inWords(leftMs)} left`}`);
    },
  };
}
