/** Connections to Postgres: every limit is the server's, and a lost line never kills the process. */
import pg from 'pg';

/** How a pool connects. */
export type PoolOptions = {
  readonly url: string;
  /** Most connections at once; at least the number of activity slots that use it. */
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly name?: string;
  /** The server cancels a statement after this. */
  readonly statementTimeoutMs?: number;
  /** The server gives up waiting for a lock after this. */
  readonly lockTimeoutMs?: number;
};

/** A pool, a client of it, or anything else that runs one statement. */
export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** timestamptz by its type id: a JS Date would drop the microseconds. */
const timestampTz = 1184;
const parserOf = pg.types.getTypeParser as (id: number, format?: 'text' | 'binary') => (text: string) => unknown;
const timestampsAsText: pg.CustomTypesConfig = { getTypeParser: (id: number, format?: 'text' | 'binary') => (id === timestampTz ? String : parserOf(id, format)) };

/**
 * A pool with server-side limits (a client-side timeout would leave the statement running), READ COMMITTED, pipelining,
 * bigint and timestamps as text (both lose digits as JS values).
 */
export function createPool(options: PoolOptions): Pool {
  const settings = {
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    lock_timeout: options.lockTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: 30_000,
    default_transaction_isolation: 'read\\ committed',
    TimeZone: 'UTC',
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max ?? 10,
    application_name: options.name ?? 'holdpoint',
    connectionTimeoutMillis: 15_000,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${String(value)}`)
      .join(' '),
    types: timestampsAsText,
    pipeline: true,
  });
  const ignore = (): void => undefined; // the query in flight, if any, rejects by itself; without a listener Node would exit
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}
