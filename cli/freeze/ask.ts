/** Asks for one proposal in place of Temporal: what may pass is tried again a few times, what does not ends the run in one sentence, and no such trouble becomes an answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelRequestError } from '../../activities/model/model-request.ts';
import { proposeFor, type ProposeDeps, type ProposeRequest } from '../../activities/model/propose.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import { UserError } from '../output.ts';

/** Where to ask; `waitsMs` lie between the attempts. */
export type Servers = Pick<ProposeDeps, 'pool' | 'ollamaHost' | 'signal'> & { readonly waitsMs?: readonly number[] };

const usualWaitsMs: readonly number[] = [1_000, 4_000, 15_000];

/** The reply that is frozen already, or the model's. @throws UserError where the server does not answer, and the signal's reason where it was aborted */
export async function askFor(servers: Servers, request: ProposeRequest): Promise<Proposed> {
  const { pool, ollamaHost, signal, waitsMs = usualWaitsMs } = servers;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await proposeFor({ pool, ollamaHost, signal, heartbeat: () => undefined }, request);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelRequestError)) throw error;
      const waitMs = waitsMs[attempt];
      if (!error.retryable || waitMs === undefined) throw new UserError(`${error.message} The same command goes on where this one stopped.`);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined); // looked at when it is asked again
      signal.throwIfAborted();
    }
  }
}
