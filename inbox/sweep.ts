/** Brings to their episodes what the database let in and whoever said it could not deliver: a command that was killed, a page that lost its server. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { notTaken, undelivered } from '../database/decisions.ts';
import type { Door } from './decide.ts';
import { deliver, deliveryId } from './deliver.ts';

/** `everyMs`: between two looks. `onError`: hears of a look that failed, in one sentence; the next one is tried all the same. */
export type SweepOptions = { readonly everyMs: number; readonly onError: (sentence: string) => void };

/** Sweeps until it is stopped; `stop` waits for the look that is under way. Several may run: a decision is accepted once, under one update id. */
export function startSweep(door: Omit<Door, 'via'>, { everyMs, onError }: SweepOptions): { stop(): Promise<void> } {
  const ending = new AbortController();
  const rounds = async (): Promise<void> => {
    let known: Known = new Map();
    while (!ending.signal.aborted) {
      known = await sweep(door, known).catch((error: unknown) => {
        onError(`What people said could not be looked through: ${error instanceof Error ? error.message : String(error)}`);
        return known;
      });
      await wait(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const done = rounds();
  return { stop: () => { ending.abort(); return done; } };
}

/** By decision: seen once, so most likely on its way; or brought, and waiting for other people's approvals. */
type Known = ReadonlyMap<number, 'seen' | 'brought'>;

/** One look. @returns what it knows now; what is not undelivered any more is forgotten */
async function sweep({ client, db, timeoutMs = 10_000 }: Omit<Door, 'via'>, known: Known): Promise<Known> {
  const now = new Map<number, 'seen' | 'brought'>();
  for (const { episodeId, said } of await undelivered(db)) {
    const { decisionId } = said;
    if (decisionId === undefined) continue;
    const before = known.get(decisionId);
    if (before !== 'seen') {
      now.set(decisionId, before ?? 'seen');
      continue;
    }
    const delivery = await deliver(client, episodeId, { decision: said, updateId: deliveryId(decisionId), call: randomUUID(), timeoutMs });
    if ('refused' in delivery) await notTaken(db, decisionId, delivery.refused);
    now.set(decisionId, 'unknown' in delivery ? 'seen' : 'brought');
  }
  return now;
}
