/** The one transaction helper: whole reruns on contention, the COMMIT tag checked, a lost COMMIT reported as unknown. */
import type { QueryConfig, QueryResult } from 'pg';
import { CommitUnknownError, ContentionError, isConnectionLoss, isContention, isStalePlan, RolledBackError, sqlStateOf } from './errors.ts';
import { OneTripQuery, type OneTripAnswer } from './one-trip-query.ts';
import type { Client, Pool } from './pool.ts';

/** How often and how soon a transaction that met contention is run again. */
export type TransactionOptions = {
  /** Most reruns before ContentionError; default 20. */
  readonly reruns?: number;
  /** Called before each rerun: contention is counted apart from refusals. */
  readonly onRerun?: () => void;
  /** 0 to 1, for the jitter. Not the seeded stream: it only spreads retries in time. */
  readonly random?: () => number;
};

/**
 * Runs `work` in one transaction. It may run several times: it must touch nothing but the database.
 * @throws ContentionError when reruns are used up, CommitUnknownError when the line was lost after COMMIT was sent, RolledBackError when COMMIT was answered with ROLLBACK
 */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
  return rerunOnContention(options, () =>
    withClient(pool, async (client) => {
      await client.query('BEGIN');
      let result: T;
      try {
        result = await work(client);
      } catch (error) {
        if (!isConnectionLoss(error)) await client.query('ROLLBACK');
        throw error;
      }
      await commit(client);
      return result;
    }),
  );
}

/**
 * Runs one statement in a transaction of its own, with BEGIN and COMMIT in the same network write: one round trip, and still a COMMIT tag to check.
 * A line lost at any time after the write is unknown, because COMMIT was on its way.
 * @returns the first column of the first row as text, or null
 * @throws as inTransaction
 */
export async function inOneTrip(pool: Pool, query: QueryConfig, options: TransactionOptions = {}): Promise<string | null> {
  return rerunOnContention(options, () =>
    withClient(pool, async (client) => {
      const trip = { sent: false };
      try {
        const { text, commitTag } = await oneTrip(client, query, trip);
        checkCommitted(commitTag);
        return text;
      } catch (error) {
        if (error instanceof RolledBackError) throw error;
        // An error of the server's tells that COMMIT was skipped. Any other (a broken line, a time limit of the client's) tells nothing once it was sent.
        if (isConnectionLoss(error) || (trip.sent && sqlStateOf(error) === null))
          throw new CommitUnknownError('No answer came after COMMIT was sent.', { cause: error });
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    }),
  );
}

function oneTrip(client: Client, query: QueryConfig, trip: { sent: boolean }): Promise<OneTripAnswer> {
  return new Promise((resolve, reject) => {
    const oneTripQuery = new OneTripQuery(query, (error, answer) => {
      trip.sent = oneTripQuery.sent;
      if (error === null) resolve(answer);
      else reject(error);
    });
    void client.query(oneTripQuery as unknown as string);
  });
}

/** Lends a client; whatever failed inside destroys the connection rather than returning it in doubt. */
async function withClient<T>(pool: Pool, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await use(client);
    client.release();
    return result;
  } catch (error) {
    client.release(isConnectionLoss(error) || error instanceof CommitUnknownError);
    throw error;
  }
}

async function commit(client: Client): Promise<void> {
  let answer: QueryResult;
  try {
    answer = await client.query('COMMIT');
  } catch (error) {
    if (isConnectionLoss(error)) throw new CommitUnknownError('The connection was lost after COMMIT was sent.', { cause: error });
    throw error;
  }
  checkCommitted(answer.command);
}

/** The server answers COMMIT in an aborted transaction with the tag ROLLBACK and no error. */
function checkCommitted(tag: string): void {
  if (tag !== 'COMMIT') throw new RolledBackError('COMMIT was answered with ROLLBACK: an error inside the transaction was swallowed.');
}

async function rerunOnContention<T>(options: TransactionOptions, run: () => Promise<T>): Promise<T> {
  const reruns = options.reruns ?? 20;
  const random = options.random ?? Math.random;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isContention(error) && !isStalePlan(error)) throw error;
      if (attempt >= reruns) throw new ContentionError(`Contention outlasted ${String(reruns)} reruns.`, { cause: error });
      options.onRerun?.();
      const delayMs = random() * Math.min(5 * 2 ** attempt, 200);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}
