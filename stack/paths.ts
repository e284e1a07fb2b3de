/** Where downloads, data, logs and records lie. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Env } from './types.ts';

/**
 * The folder that every user can traverse. As root, Postgres runs as `nobody` and could not reach its data in root's home
 * or in a test's private folder, so its binaries and data lie here.
 */
export const sharedDir = '/var/tmp/holdpoint';

/** Downloads and builds, shared by all state folders: HOLDPOINT_CACHE_DIR, else `holdpoint` in XDG_CACHE_HOME, else in `~/.cache`. */
export function cacheDir(env: Env = process.env): string {
  const own = filled(env['HOLDPOINT_CACHE_DIR']);
  if (own !== undefined) return resolve(own);
  const xdg = filled(env['XDG_CACHE_HOME']);
  return xdg === undefined ? join(homedir(), '.cache', 'holdpoint') : join(resolve(xdg), 'holdpoint');
}

/** The servers' data where nobody says otherwise: HOLDPOINT_STATE_DIR, else `state` in the cache. */
export function defaultStateDir(env: Env = process.env): string {
  const own = filled(env['HOLDPOINT_STATE_DIR']);
  return own === undefined ? join(cacheDir(env), 'state') : resolve(own);
}

/** True where the process runs as root, so that Postgres needs another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Postgres's folder for one state folder: inside it, or, as root, under `sharedDir` by the hash of its path. */
export function postgresDir(stateDir: string, asRoot: boolean = isRoot()): string {
  if (!asRoot) return join(resolve(stateDir), 'postgres');
  const key = createHash('sha256').update(resolve(stateDir)).digest('hex').slice(0, 16);
  return join(sharedDir, key);
}

/** The log file of one server. */
export function logFile(stateDir: string, part: string): string {
  return join(resolve(stateDir), 'logs', `${part}.log`);
}

/** A variable's value; undefined where it is unset or blank. */
export function filled(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === undefined || text === '' ? undefined : text;
}
