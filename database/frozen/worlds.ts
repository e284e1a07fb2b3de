/** Many identical worlds at once: seeding and changing all worlds in which one frozen proposal is replayed. */
import type { Row } from '../../contract/change.ts';
import type { Pool } from '../pool.ts';
import { inOneTrip } from '../transaction.ts';
import type { Mutation } from '../worlds.ts';

/** What a world starts with. Tables come in the order of their foreign keys. */
export type Seed = { readonly label: string; readonly rows: readonly { table: string; row: Row }[] };

/** Creates `count` worlds (1 or more) with the same rows, as seedWorld does each, in one transaction and one round trip. @returns their ids, ascending */
export async function seedWorlds(pool: Pool, { label, rows }: Seed, count: number): Promise<string[]> {
  const seeded = await inOneTrip(pool, { name: 'seed-worlds', text: 'select holdpoint.seed_worlds($1, $2, $3)', values: [label, JSON.stringify(rows), count] });
  return (seeded ?? '{}').slice(1, -1).split(','); // an array as Postgres writes it: {1,2,3}
}

/**
 * Changes every one of the worlds as changeWorld does, in one transaction and one round trip. Each world's epoch moves by one, and its history is the same as if
 * it had had a transaction of its own: worlds never meet. @throws Error where a change does not hit exactly one row a world; then no world is changed
 */
export async function changeWorlds(pool: Pool, worldIds: readonly string[], mutation: Mutation): Promise<void> {
  const { actor, reason, opKey = '', changes } = mutation;
  await inOneTrip(pool, { name: 'change-worlds', text: 'select holdpoint.change_worlds($1, $2, $3, $4, $5)', values: [worldIds, JSON.stringify(changes), actor, reason, opKey] });
}
