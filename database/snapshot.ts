/** Reads that belong together: several statements that see one moment of a database that others write to. */
import type { Client, Pool } from './pool.ts';

/** Runs `work` in one read-only snapshot, which begins with its first statement. After a statement that failed nothing more can be asked in it. */
export async function inSnapshot<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    const result = await work(client);
    await client.query('rollback');
    client.release();
    return result;
  } catch (error) {
    client.release(true); // whatever state its transaction is in ends with the connection
    throw error;
  }
}
