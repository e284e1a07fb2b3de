/** Brings a database to the current schema: numbered files run once and in order, generated functions whenever their text changed. */
import { readdir, readFile } from 'node:fs/promises';
import { digestOf, digestOfText } from '../contract/digest.ts';
import { tools } from '../guards/tools/index.ts';
import { commitFunctionSql } from './commit/generate.ts';
import { checkFunctionSql } from './commit/generate-check.ts';
import { failuresSql } from './commit/generate-failures.ts';
import { previewFunctionSql } from './commit/generate-preview.ts';
import { commitRollbackSql } from './commit/generate-rollback.ts';
import { previewRollbackSql } from './commit/generate-rollback-preview.ts';
import { createPool, type Pool } from './pool.ts';
import { rolePassword } from './role-url.ts';
import { inTransaction } from './transaction.ts';

/** What a migration did. */
export type MigrationReport = { readonly applied: readonly string[]; readonly functions: readonly string[] };

/** Names the advisory lock that keeps two migrations apart. */
const migrationLock = 4_021_987;

/**
 * Creates the database `name` if it is not there. Give it an owner's URL to any database of the server.
 * @returns the owner's URL of that database
 */
export async function createDatabase(ownerUrl: string, name: string): Promise<string> {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`"${name}" cannot be a database name here.`);
  const pool = createPool({ url: ownerUrl, max: 1 });
  try {
    const { rowCount } = await pool.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0)
      await pool.query(`create database ${name}`).catch((error: unknown) => {
        if ((error as { code?: string }).code !== '42P04') throw error; // somebody else was faster
      });
  } finally {
    await pool.end();
  }
  const url = new URL(ownerUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/**
 * Applies what is missing. Forward only: an applied file must never change, and one that did is refused.
 * @throws Error naming the file whose text is not what was applied
 */
export async function migrate(ownerUrl: string): Promise<MigrationReport> {
  const pool = createPool({ url: ownerUrl, max: 1, name: 'holdpoint-migrate', lockTimeoutMs: 60_000, statementTimeoutMs: 120_000 });
  try {
    return await inTransaction(pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      await client.query('create table if not exists public.holdpoint_migrations (name text primary key, digest text not null, at timestamptz not null default now())');
      const { rows } = await client.query<{ name: string; digest: string }>('select name, digest from public.holdpoint_migrations');
      const known = new Map(rows.map((row) => [row.name, row.digest]));
      const applied: string[] = [];
      const functions: string[] = [];
      for (const step of await migrationSteps()) {
        const digest = digestOfText(step.sql);
        const before = known.get(step.name);
        if (before === digest) continue;
        if (before !== undefined && !step.repeatable) throw new Error(`The migration ${step.name} was changed after it had been applied: write a new one instead.`);
        await client.query(step.sql);
        await client.query('insert into public.holdpoint_migrations (name, digest) values ($1, $2) on conflict (name) do update set digest = excluded.digest, at = now()', [step.name, digest]);
        (step.repeatable ? functions : applied).push(step.name);
      }
      await client.query(`alter role holdpoint_worker login password '${rolePassword(ownerUrl, 'holdpoint_worker')}'`);
      await client.query(`alter role holdpoint_reader login password '${rolePassword(ownerUrl, 'holdpoint_reader')}'`);
      return { applied, functions };
    });
  } finally {
    await pool.end();
  }
}

async function migrationSteps(): Promise<{ name: string; sql: string; repeatable: boolean }[]> {
  const folder = new URL('./migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const numbered = await Promise.all(files.map(async (file) => ({ name: file, sql: await readFile(new URL(file, folder), 'utf8'), repeatable: false })));
  const functions = tools.flatMap((tool) => [
    { name: `commit_${tool.tool}`, sql: commitFunctionSql(tool) }, { name: `check_${tool.tool}`, sql: checkFunctionSql(tool) }, { name: `preview_${tool.tool}`, sql: previewFunctionSql(tool) },
  ]);
  const generated = [{ name: 'failures', sql: failuresSql() }, ...functions, { name: 'commit_rollback', sql: commitRollbackSql(tools) }, { name: 'preview_rollback', sql: previewRollbackSql(tools) }];
  return [...numbered, ...generated.map((step) => ({ ...step, repeatable: true }))];
}

/** A digest of the whole schema that this code works on: every migration and every generated function, so every tool contract. */
export async function schemaDigest(): Promise<string> {
  return digestOf((await migrationSteps()).map((step) => [step.name, digestOfText(step.sql)]));
}

/** Whether a database has every migration and function of this code. */
export async function isCurrent(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ name: string; digest: string }>('select name, digest from public.holdpoint_migrations');
  const known = new Map(rows.map((row) => [row.name, row.digest]));
  return (await migrationSteps()).every((step) => known.get(step.name) === digestOfText(step.sql));
}
