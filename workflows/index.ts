/** The workflow types that workers offer, and the messages they understand. */
export { batch } from './batch.ts';
export { episode } from './episode.ts';
export { rollback } from './rollback.ts';
export { batchProgress, decideUpdate, decisionSignal, episodeProgress, pauseSignal, pauseUpdate, resumeSignal, resumeUpdate } from './messages.ts';
export type { Accepted, BatchProgress, EpisodeProgress } from './messages.ts';
