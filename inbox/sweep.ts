/** Brings to their episodes what the database let in and whoever said it could not deliver: a command that was killed, a page that lost its server. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { notTaken, undelivered } from '../database/decisions.ts';
import type { Door } from './decide.ts';
import { deliver, deliveryId } from './deliver.ts';

/** `everyMs`: between two looks; what was let in as long ago as that has most likely lost its bearer. `onError`: hears of a look that failed, in one sentence; the next one is tried all the same. */
export type SweepOptions = { readonly everyMs: number; readonly onError: (sentence: string) => void };

/** Decisions of one page of what is undelivered. */
const atOnce = 500;

/** Sweeps until it is stopped; `stop` waits for the look that is under way. Several may run: a decision is accepted once, under one update id. */
export function startSweep(door: Omit<Door, 'via'>, { everyMs, onError }: SweepOptions): { stop(): Promise<void> } {
  const ending = new AbortController();
  const rounds = async (): Promise<void> => {
    let brought: ReadonlySet<number> = new Set();
    while (!ending.signal.aborted) {
      brought = await sweep(door, { brought, olderThanMs: everyMs, signal: ending.signal }).catch((error: unknown) => {
        onError(`What people said could not be looked through: ${error instanceof Error ? error.message : String(error)}`);
        return brought;
      });
      await wait(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const done = rounds();
  return { stop: () => { ending.abort(); return done; } };
}

/**
 * One look. An approval that waits for others, and a hand-over, stay undelivered for all that the database knows, so what was brought is remembered.
 * @returns what was brought and is still looked at; what is not any more is forgotten
 */
async function sweep({ client, db, timeoutMs = 10_000 }: Omit<Door, 'via'>, { brought, olderThanMs, signal }: { readonly brought: ReadonlySet<number>; readonly olderThanMs: number; readonly signal: AbortSignal }): Promise<ReadonlySet<number>> {
  const still = new Set<number>();
  const isEnding = (): boolean => signal.aborted;
  let after = 0;
  for (let page = atOnce; page === atOnce && !isEnding(); ) {
    const found = await undelivered(db, { after, olderThanMs, limit: atOnce });
    for (const { episodeId, said } of found) {
      if (isEnding()) break;
      after = said.decisionId;
      const isBrought = brought.has(after) || 'accepted' in (await bring({ client, db, timeoutMs }, episodeId, said));
      if (isBrought) still.add(after);
    }
    page = found.length;
  }
  return still;
}

async function bring({ client, db, timeoutMs }: Required<Omit<Door, 'via'>>, episodeId: string, decision: Awaited<ReturnType<typeof undelivered>>[number]['said']): ReturnType<typeof deliver> {
  const delivery = await deliver(client, episodeId, { decision, updateId: deliveryId(decision.decisionId), call: randomUUID(), timeoutMs });
  if ('refused' in delivery) await notTaken(db, decision.decisionId, delivery.refused);
  return delivery;
}
