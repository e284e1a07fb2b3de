/** A database of its own for one evaluation: made for it, dropped after it. Its results live in files. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { digestOf } from '../../contract/digest.ts';
import { createDatabase, migrate } from '../../database/migrate.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { UserError } from '../output.ts';

/** Where to make it: the server, the folder that it is for, and how many connections will be used. */
export type Place = { readonly serverUrl: string; readonly folder: string; readonly connections: number };

/**
 * Lends a pool of the worker's role on a new database. The name is made from the folder's, so that what a killed run left behind is dropped by the run that goes on:
 * call it for a folder that no other run works in.
 *
 * COMMIT does not wait for the disk there (`synchronous_commit = off`): after a crash of the server the database is thrown away anyway, and what counts is in the
 * files by then. Every outcome still ends in a COMMIT with all its locks, checks and triggers.
 * @throws UserError where the server lets no database be made
 */
export async function withDatabase<T>(place: Place, use: (pool: Pool) => Promise<T>): Promise<T> {
  const name = `holdpoint_evaluate_${digestOf([hostname(), resolve(place.folder)]).slice(0, 12)}`;
  try {
    await drop(place.serverUrl, name);
    const ownerUrl = await createDatabase(place.serverUrl, name);
    await asAdmin(place.serverUrl, `alter database ${name} set synchronous_commit = off`);
    await migrate(ownerUrl);
    return await lend(roleUrl(ownerUrl, 'holdpoint_worker'), place.connections, use);
  } finally {
    await drop(place.serverUrl, name).catch(() => undefined); // the server may be gone; the next run drops it
  }
}

async function lend<T>(url: string, connections: number, use: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ url, max: connections, name: 'holdpoint-evaluate', statementTimeoutMs: 120_000 });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

function drop(serverUrl: string, name: string): Promise<void> {
  return asAdmin(serverUrl, `drop database if exists ${name} with (force)`);
}

async function asAdmin(serverUrl: string, statement: string): Promise<void> {
  const admin = createPool({ url: serverUrl, max: 1, name: 'holdpoint-evaluate-admin', statementTimeoutMs: 120_000 });
  try {
    await admin.query(statement);
  } catch (error) {
    throw new UserError(`No database could be made on ${new URL(serverUrl).host} (${error instanceof Error ? error.message || error.name : String(error)}): give an owner's DATABASE_URL of a running Postgres.`);
  } finally {
    await admin.end();
  }
}
