/** Real connections interleaved at barriers: a barrier is the sight of a session waiting for another's lock, never a pause. */
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Client, Pool, Queryable } from '../../../database/pool.ts';

/** One connection of its own and the number by which the server knows it. */
export type Session = { readonly client: Client; readonly pid: number };

/** How a statement stood when it was looked at: answered, or waiting for a lock that another session holds. */
export type Standing = 'done' | 'waiting';

const patienceMs = 15_000;

async function openSession(pool: Pool): Promise<Session> {
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { client, pid: rows[0]?.pid ?? 0 };
}

/** Runs `use` with that many sessions. They go back to the pool, or end where `use` failed half-way, so that no open transaction is left behind. */
export async function withSessions<T>(pool: Pool, count: number, use: (...sessions: Session[]) => Promise<T>): Promise<T> {
  const sessions: Session[] = [];
  let failed = true;
  try {
    for (let opened = 0; opened < count; opened += 1) sessions.push(await openSession(pool));
    const result = await use(...sessions);
    for (const { client } of sessions) await client.query('rollback');
    failed = false;
    return result;
  } finally {
    for (const { client } of sessions) client.release(failed);
  }
}

/** Sends a statement without waiting for its answer; a rejection is kept for whoever awaits it. */
export function send<Row extends QueryResultRow>(session: Session, query: string | QueryConfig): Promise<QueryResult<Row>> {
  return kept(session.client.query<Row>(query));
}

/** A promise that may be awaited late: until then its rejection is nobody's crash. */
export function kept<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Which sessions hold the locks that this one waits for. */
export async function blockersOf(watch: Queryable, pid: number): Promise<number[]> {
  const { rows } = await watch.query<{ pids: number[] }>('select pg_blocking_pids($1) as pids', [pid]);
  return rows[0]?.pids ?? [];
}

/** Waits until what the session was asked is answered or is seen waiting for a lock. @throws Error where neither comes to pass */
export async function standingOf(watch: Queryable, session: Session, asked: Promise<unknown>): Promise<Standing> {
  let done = false;
  const finish = (): void => {
    done = true;
  };
  asked.then(finish, finish);
  const untilMs = Date.now() + patienceMs;
  while (Date.now() < untilMs) {
    const blockers = await blockersOf(watch, session.pid);
    if (isDone()) return 'done';
    if (blockers.length > 0) return 'waiting';
  }
  throw new Error('The session was neither answered nor seen waiting for a lock.');

  function isDone(): boolean {
    return done;
  }
}

/** Waits until the session is seen waiting for `holder`. @throws Error where its statement was answered instead */
export async function seenWaitingFor(watch: Queryable, waiting: { session: Session; asked: Promise<unknown> }, holder: Session): Promise<void> {
  if ((await standingOf(watch, waiting.session, waiting.asked)) === 'done') throw new Error('The session did not wait: its statement was answered.');
  const blockers = await blockersOf(watch, waiting.session.pid);
  if (!blockers.includes(holder.pid)) throw new Error('The session waits for somebody else.');
}
