/** Brings to their episodes what the database let in and whoever said it could not deliver: a command that was killed, a page that lost its server. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { notTaken, undelivered } from '../database/decisions.ts';
import type { Door } from './decide.ts';
import { deliver } from './deliver.ts';

/** `everyMs`: between two looks; what was let in as long ago as that has most likely lost its bearer. `onError`: hears of a look that failed, in one sentence; the next one is tried all the same. */
export type SweepOptions = { readonly everyMs: number; readonly onError: (sentence: string) => void };

/** Decisions of one page of what is undelivered, deliveries at once, and how long an episode may take to answer one, in milliseconds: others wait behind it. */
const [atOnce, together, answerMs] = [500, 8, 2_000];

/** Sweeps until it is stopped; `stop` waits for the look that is under way. Several may run: the episode takes a decision once, however often it is brought. */
export function startSweep(door: Omit<Door, 'via'>, { everyMs, onError }: SweepOptions): { stop(): Promise<void> } {
  const ending = new AbortController();
  const rounds = async (): Promise<void> => {
    let brought: ReadonlySet<number> = new Set();
    while (!ending.signal.aborted) {
      brought = await sweep(door, { brought, olderThanMs: everyMs, signal: ending.signal, onError }).catch((error: unknown) => {
        onError(`What people said could not be looked through: ${sentenceOf(error)}`);
        return brought;
      });
      await wait(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const done = rounds();
  return { stop: () => { ending.abort(); return done; } };
}

type Look = { readonly brought: ReadonlySet<number>; readonly olderThanMs: number; readonly signal: AbortSignal; readonly onError: SweepOptions['onError'] };
type Found = Awaited<ReturnType<typeof undelivered>>[number];

/**
 * One look. An approval that waits for others, and a hand-over, stay undelivered for all that the database knows, so what was brought is remembered; one that would
 * decide by now is brought again, because policies and rights change while a request waits.
 * @returns what was brought and is still looked at; what is not any more is forgotten
 */
async function sweep(door: Omit<Door, 'via'>, { brought, olderThanMs, signal, onError }: Look): Promise<ReadonlySet<number>> {
  const still = new Set<number>();
  const isEnding = (): boolean => signal.aborted;
  const one = async (found: Found): Promise<void> => {
    const { decisionId } = found.said;
    if (brought.has(decisionId) && !found.decides) still.add(decisionId);
    else if (await bring(door, found).catch((error: unknown) => { onError(`What ${found.said.by} said could not be brought: ${sentenceOf(error)}`); })) still.add(decisionId);
  };
  let after = 0;
  for (let page = atOnce; page === atOnce && !isEnding(); ) {
    const found = await undelivered(door.db, { after, olderThanMs, limit: atOnce });
    for (let first = 0; first < found.length && !isEnding(); first += together) await Promise.all(found.slice(first, first + together).map(one));
    after = found.at(-1)?.said.decisionId ?? after;
    page = found.length;
  }
  return still;
}

/** @returns whether the episode took it */
async function bring({ client, db, timeoutMs = answerMs }: Omit<Door, 'via'>, { episodeId, said }: Found): Promise<boolean> {
  const delivery = await deliver(client, episodeId, { decision: said, updateId: randomUUID(), timeoutMs });
  if ('refused' in delivery) await notTaken(db, said.decisionId, delivery.refused);
  return 'accepted' in delivery;
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
