/** Joins the model room to the activities. */
import type { Proposer } from '../../activities/index.ts';
import { proposeFor } from '../../activities/model/propose.ts';
import type { Pool } from '../../database/pool.ts';
import type { Settings } from './settings.ts';

/** Asks the Ollama server of the settings; replies are frozen in the pool's database. */
export function ollamaProposer({ ollamaHost }: Pick<Settings, 'ollamaHost'>, pool: Pool): Proposer {
  return ({ signal, heartbeat, ...request }) => proposeFor({ pool, ollamaHost, signal, heartbeat }, request);
}
