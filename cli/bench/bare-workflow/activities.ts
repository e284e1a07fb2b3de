/** The yardstick's three activities: one SQL statement each, on a plain table without triggers. */
import type { Pool } from '../../../database/pool.ts';

/** By the names that the workflow calls. */
export type BareActivities = { observe(id: string): Promise<void>; propose(id: string): Promise<void>; commit(id: string): Promise<void> };

/** Creates the table; its owner's pool is needed. */
export async function createBareTable(owner: Pool): Promise<void> {
  await owner.query('create schema if not exists bare');
  await owner.query('create table if not exists bare.work (id text primary key, state text not null, at timestamptz not null default clock_timestamp())');
}

/** The activities on a pool. */
export function bareActivities(pool: Pool): BareActivities {
  const set = async (id: string, state: string): Promise<void> => {
    await pool.query({ name: 'bare-set', text: 'update bare.work set state = $2, at = clock_timestamp() where id = $1', values: [id, state] });
  };
  return {
    observe: async (id) => {
      await pool.query({ name: 'bare-observe', text: `insert into bare.work (id, state) values ($1, 'observed') on conflict do nothing`, values: [id] });
    },
    propose: (id) => set(id, 'proposed'),
    commit: (id) => set(id, 'committed'),
  };
}
