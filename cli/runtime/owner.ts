/** Work that only the database's owner may do. */
import { sqlStateOf } from '../../database/errors.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { UserError } from '../output.ts';
import { findSettings } from './settings.ts';

/** @throws UserError where the URL is not the owner's (exit code 1), or what was asked for cannot be (a RangeError: exit code 2) */
export async function asOwner<T>(use: (owner: Pool) => Promise<T>): Promise<T> {
  const owner = createPool({ url: (await findSettings()).databaseUrl, max: 1, name: 'holdpoint-owner' });
  try {
    return await use(owner);
  } catch (error) {
    if (error instanceof RangeError) throw new UserError(error.message, 2);
    if (sqlStateOf(error) === '42501') throw new UserError("Only the owner of the database can do this: give its owner's DATABASE_URL.");
    throw error;
  } finally {
    await owner.end();
  }
}
