/** The servers of a state folder that run right now, as the environment variables that lead to them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresDir } from './paths.ts';
import { readRunning } from './record.ts';

/** What a second terminal needs to reach the servers of the first. */
export type RunningServers = { readonly TEMPORAL_ADDRESS?: string; readonly TEMPORAL_UI_URL?: string; readonly DATABASE_URL?: string; readonly OLLAMA_HOST?: string };

/** Looks, starts nothing. `DATABASE_URL` is the owner's and leads to `database`; it holds the password. */
export async function runningServers(stateDir: string, database: string): Promise<RunningServers> {
  const [temporal, postgres, ollama] = await Promise.all([readRunning(stateDir, 'temporal'), readRunning(stateDir, 'postgres'), readRunning(stateDir, 'ollama')]);
  const password = postgres && (await readFile(join(postgresDir(stateDir), 'password'), 'utf8').catch(() => undefined))?.trim();
  return {
    ...(temporal && { TEMPORAL_ADDRESS: `127.0.0.1:${String(temporal.port)}` }),
    ...(temporal?.uiPort !== undefined && { TEMPORAL_UI_URL: `http://127.0.0.1:${String(temporal.uiPort)}` }),
    ...(postgres && password !== undefined && { DATABASE_URL: `postgres://postgres:${password}@127.0.0.1:${String(postgres.port)}/${database}` }),
    ...(ollama && { OLLAMA_HOST: `http://127.0.0.1:${String(ollama.port)}` }),
  };
}
