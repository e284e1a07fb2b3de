/** A world as it began, there for as long as somebody looks at it. */
import type { Row } from '../contract/change.ts';
import type { Pool, Queryable } from './pool.ts';

/** Seeds the rows as `seedWorld` does, in a transaction that is rolled back after the look: nothing of the world stays, and nobody else sees it. */
export async function atSeed<T>(pool: Pool, seed: { label: string; rows: readonly { table: string; row: Row }[] }, look: (db: Queryable, worldId: string) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let inDoubt = true;
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string }>('select holdpoint.seed_world($1, $2) as id', [seed.label, JSON.stringify(seed.rows)]);
    const seen = await look(client, rows[0]?.id ?? '');
    await client.query('ROLLBACK');
    inDoubt = false;
    return seen;
  } finally {
    client.release(inDoubt); // a connection that failed on the way may still be inside the transaction
  }
}
