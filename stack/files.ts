/** Files written whole or not at all, and a lock by which processes take turns. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf } from './identity.ts';

/** A name beside `path` that no other process uses, for a file or folder on its way there. */
export function partOf(path: string): string {
  return `${path}.${String(process.pid)}-${randomBytes(4).toString('hex')}.part`;
}

/** Writes `value` as JSON by writing beside and renaming. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = partOf(path);
  await writeFile(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(part, path);
}

/** Reads JSON; undefined where the file is missing, torn or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Fills a folder by `fill` beside its place and renames it there, so that a folder with this name is always whole. */
export async function fillDir(path: string, fill: (dir: string) => Promise<void>): Promise<void> {
  const part = partOf(path);
  await mkdir(part, { recursive: true });
  try {
    await fill(part);
    await rename(part, path);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Runs `work` while holding the lock file at `path`, which names its holder, so that a dead holder's lock is taken over.
 * `onWait` is called once if another process holds it.
 */
export async function withLock<T>(path: string, options: { signal?: AbortSignal | undefined; onWait?: () => void }, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const mine = `${String(process.pid)} ${(await identityOf(process.pid)) ?? ''} ${randomBytes(8).toString('hex')}`;
  let said = false;
  while (!(await tryLock(path, mine))) {
    options.signal?.throwIfAborted();
    if (!said) options.onWait?.();
    said = true;
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    if ((await readText(path)) === mine) await rm(path, { force: true });
  }
}

/** One try: a link is made whole or not at all, so a lock file is never seen empty. */
async function tryLock(path: string, mine: string): Promise<boolean> {
  const part = partOf(path);
  await writeFile(part, mine);
  try {
    await link(part, path);
    return true;
  } catch {
    await removeStale(path);
    return false;
  } finally {
    await rm(part, { force: true });
  }
}

async function removeStale(path: string): Promise<void> {
  const seen = await readText(path);
  if (seen === undefined || (await holderLives(seen))) return;
  const aside = partOf(path);
  await rename(path, aside).catch(() => undefined);
  const taken = await readText(aside);
  // Another process was quicker, and what was moved aside is its fresh lock: put it back.
  if (taken !== undefined && taken !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function holderLives(text: string): Promise<boolean> {
  const [pid, identity] = text.split(' ');
  return (await identityOf(Number(pid))) === identity;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
