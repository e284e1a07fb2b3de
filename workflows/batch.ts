/** A batch: a sliding window of child episodes over a plan that is read page by page, with a fresh history for each page. */
import { CancellationScope, CancelledFailure, condition, continueAsNew, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { BatchPage, PlannedEpisode } from '../activities/types.ts';
import type { BatchInputGiven } from '../contract/batch-input.ts';
import { startChildEpisode } from './child.ts';
import { batchProgress, pauseSignal, pauseUpdate, resumeSignal, resumeUpdate, type BatchProgress } from './messages.ts';
import { effects } from './proxies.ts';

/** What a page hands to the next one. */
type Carried = { readonly offset: number; readonly progress: BatchProgress };

const nothing: Carried = { offset: 0, progress: { planned: 0, done: 0, running: 0, failed: 0, skipped: 0, paused: false, classes: {} } };

/**
 * Runs a design's episodes as children, at most `window` at once, model by model. Returns the counts. The second argument is the batch's own, from page to page.
 * Cancelling it cancels the children and waits for them; ending it by force asks them to cancel.
 */
export async function batch(given?: BatchInputGiven, carried: Carried = nothing): Promise<BatchProgress> {
  const state = { ...carried.progress, classes: { ...carried.progress.classes } as Record<string, number> };
  const snapshot = (): BatchProgress => ({ ...state, classes: { ...state.classes } });
  const setPaused = (paused: boolean) => (): BatchProgress => {
    state.paused = paused;
    return snapshot();
  };
  setHandler(batchProgress, snapshot, { description: 'How far the batch is.' });
  setHandler(pauseSignal, () => void setPaused(true)(), { description: 'Start no more episodes; those that run go on.' });
  setHandler(resumeSignal, () => void setPaused(false)(), { description: 'Go on starting episodes.' });
  setHandler(pauseUpdate, setPaused(true));
  setHandler(resumeUpdate, setPaused(false));

  const page: BatchPage = await effects.planBatch({ workflowId: workflowInfo().workflowId, given: given ?? {}, offset: carried.offset });
  const { input } = page;
  state.planned = page.total;
  state.done += page.recorded;
  const runOne = async (planned: PlannedEpisode): Promise<void> => {
    state.running += 1;
    const ended = await startChildEpisode(planned, input);
    state.running -= 1;
    if (ended.kind === 'ended') {
      state.done += 1;
      state.classes[ended.class] = (state.classes[ended.class] ?? 0) + 1;
    } else state[ended.kind] += 1;
  };
  const children: Promise<void>[] = [];
  try {
    for (const planned of page.episodes) {
      await condition(() => !state.paused && state.running < input.window);
      children.push(runOne(planned));
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  await CancellationScope.nonCancellable(() => Promise.allSettled(children));
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The batch was cancelled; its episodes have ended.');
  const offset = carried.offset + input.pageSize;
  if (offset < page.total) await continueAsNew<typeof batch>(given ?? {}, { offset, progress: snapshot() });
  return snapshot();
}
