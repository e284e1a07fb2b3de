/** Gives a vitest run a state folder of its own, and stops the servers that its tests started there. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeState, stopRecorded } from '../../stack/record.ts';
import { postgresDir } from '../../stack/paths.ts';
import { dropTestDatabases } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Servers of this run keep their state here. */
    stateDir: string;
    /** Prefix of the databases of this run, so that two runs on one server do not meet. */
    databasePrefix: string;
  }
}

/** Servers start only when the first test asks for one, so that unit tests wait for nothing. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stateDir = await mkdtemp(join(tmpdir(), 'holdpoint-test-'));
  const databasePrefix = `holdpoint_test_${randomBytes(4).toString('hex')}`;
  project.provide('stateDir', stateDir);
  project.provide('databasePrefix', databasePrefix);
  return async () => {
    const given = process.env['DATABASE_URL'];
    if (given !== undefined && given !== '') await dropTestDatabases(given, databasePrefix);
    await stopRecorded(stateDir);
    await removeState(stateDir, postgresDir(stateDir));
  };
}
