/** A laboratory: Temporal on a file and Postgres in a temporary folder of its own, a migrated database, and nothing of it left behind. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, migrate } from '../../database/migrate.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { postgresDir, removeState, startStack, type ServerControl, type Stack } from '../../stack/stack.ts';
import { say, UserError } from '../output.ts';
import type { Settings } from '../runtime/settings.ts';

/** What to open. `name` is the database's; `quiet` says nothing while the servers start. */
export type LabOptions = { readonly name: string; readonly signal: AbortSignal; readonly temporalDb?: 'file' | 'memory'; readonly quiet?: boolean };

/** Servers that nobody else uses, so that they may be killed. */
export type Lab = {
  /** For clients and workers; the database's URL is its owner's. */
  readonly settings: Settings;
  readonly owner: Pool;
  readonly temporal: ServerControl;
  readonly versions: { readonly temporal: string; readonly postgres: string };
};

/** Variables that would lead to servers of somebody else. */
const addresses = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'DATABASE_URL'] as const;

/** Opens a laboratory, hands it out, and takes everything away again, whatever happened. */
export async function withLab<T>(options: LabOptions, use: (lab: Lab) => Promise<T>): Promise<T> {
  const stateDir = await mkdtemp(join(tmpdir(), `holdpoint-${options.name}-`));
  let stack: Stack | undefined;
  let owner: Pool | undefined;
  try {
    stack = await startOwn(options, stateDir);
    const { temporal, postgres, processes } = stack;
    if (temporal === undefined || postgres === undefined || processes.temporal === undefined) throw new UserError('Temporal and Postgres could not be started here.');
    const databaseUrl = await createDatabase(postgres.url, `holdpoint_${options.name}`);
    await migrate(databaseUrl);
    owner = createPool({ url: databaseUrl, max: 8, name: `holdpoint-${options.name}`, statementTimeoutMs: 120_000 });
    const settings: Settings = { temporalAddress: temporal.address, temporalNamespace: temporal.namespace, databaseUrl, ollamaHost: '', queuePrefix: 'holdpoint' };
    return await use({ settings, owner, temporal: processes.temporal, versions: { temporal: temporal.version, postgres: postgres.version } });
  } finally {
    await owner?.end();
    await stack?.stop();
    await removeState(stateDir, postgresDir(stateDir));
  }
}

/** Starts servers even where the environment names some: those are not ours to strike at. */
async function startOwn(options: LabOptions, stateDir: string): Promise<Stack> {
  const given = addresses.map((name) => [name, process.env[name]] as const);
  for (const name of addresses) Reflect.deleteProperty(process.env, name);
  try {
    return await startStack({
      parts: ['temporal', 'postgres'], stateDir, temporalDb: options.temporalDb ?? 'file', signal: options.signal,
      say: (line) => { if (options.quiet !== true) say(`${line.part}: ${line.text}`); },
    });
  } finally {
    for (const [name, value] of given) if (value !== undefined) process.env[name] = value;
  }
}

/** Runs a long command so that Ctrl-C stops what it started before the process ends. */
export async function interruptible<T>(what: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = (): void => { interrupted.abort(new UserError(`${what} was interrupted; nothing of it was kept.`)); };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await run(interrupted.signal);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
