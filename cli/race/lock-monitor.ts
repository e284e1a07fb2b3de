/** Watches from a connection of its own which sessions of a database wait for a lock. */
import type { Pool } from '../../database/pool.ts';

/** A running watch. `waits` counts distinct waits seen so far: one a waiting statement, however often it was seen; short ones may be missed, none is made up. */
export type LockMonitor = { waits(): number; stop(): Promise<void> };

const everyMs = 10;

/** Starts watching the database that `owner` is connected to. A failing look is kept and thrown by `stop`. */
export function watchLocks(owner: Pool): LockMonitor {
  const seen = new Set<string>();
  let stopped = false;
  const look = async (): Promise<void> => {
    while (!stopped) {
      const { rows } = await owner.query<{ wait: string }>(
        `select pid || '/' || extract(epoch from query_start) as wait from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      for (const row of rows) seen.add(row.wait);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  const looking = look().then(() => null, (error: unknown) => ({ error }));
  return {
    waits: () => seen.size,
    async stop() {
      stopped = true;
      const failure = await looking;
      if (failure !== null) throw failure.error;
    },
  };
}
