/** Refuses to work on a database that has not this code's schema. */
import { rollbackTool } from '../../contract/names.ts';
import { commitFunction } from '../../database/commit/generate.ts';
import { isCurrent } from '../../database/migrate.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { sqlStateOf } from '../../database/errors.ts';
import { tools } from '../../guards/tools/index.ts';
import { UserError } from '../output.ts';

/** @throws UserError where the database cannot be reached or is not migrated */
export async function requireMigrated(databaseUrl: string): Promise<void> {
  const pool = createPool({ url: databaseUrl, max: 1, name: 'holdpoint-check' });
  try {
    if (!(await isMigrated(pool))) throw new UserError("The database is not migrated to this version: run `holdpoint migrate` with its owner's DATABASE_URL first.");
  } finally {
    await pool.end();
  }
}

async function isMigrated(pool: Pool): Promise<boolean> {
  try {
    return await isCurrent(pool);
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === '42501') return hasCommitFunctions(pool); // the worker's role may not read the table of migrations
    if (state === '42P01' || state === '28P01' || state === '28000') return false; // no such table, or no such role yet
    throw new UserError(`The database cannot be reached: ${error instanceof Error ? error.message : String(error)}. Check DATABASE_URL.`);
  }
}

async function hasCommitFunctions(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>('select bool_and(to_regproc(name) is not null) as there from unnest($1::text[]) as name', [[...tools.map(({ tool }) => tool), rollbackTool].map(commitFunction)]);
  return rows[0]?.there ?? false;
}
