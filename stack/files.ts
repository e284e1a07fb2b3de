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
 * `onWait` is called once if a living process holds it, with its number; what it throws ends the wait.
 * @throws the file system's error where no lock can be made there
 */
export async function withLock<T>(path: string, options: { signal?: AbortSignal | undefined; onWait?: (holderPid: number) => void }, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const mine = `${String(process.pid)} ${(await identityOf(process.pid)) ?? ''} ${randomBytes(8).toString('hex')}`;
  let said = false;
  for (;;) {
    const holder = await tryLock(path, mine);
    if (holder === 'mine') break;
    options.signal?.throwIfAborted();
    if (holder === 'nobody') continue;
    if (!said) options.onWait?.(holder);
    said = true;
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    if ((await readText(path)) === mine) await rm(path, { force: true });
  }
}

/** One try: a link is made whole or not at all, so a lock file is never seen empty. @returns whose it is: the living holder by number */
async function tryLock(path: string, mine: string): Promise<'mine' | 'nobody' | number> {
  const part = partOf(path);
  try {
    await writeFile(part, mine);
    await link(part, path);
    return 'mine';
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return await livingHolder(path);
  } finally {
    await rm(part, { force: true });
  }
}

/** Takes a dead holder's lock away. */
async function livingHolder(path: string): Promise<'nobody' | number> {
  const seen = await readText(path);
  if (seen === undefined) return 'nobody';
  if (await holderLives(seen)) return Number(seen.split(' ')[0]);
  const aside = partOf(path);
  await rename(path, aside).catch(() => undefined);
  const taken = await readText(aside);
  // Another process was quicker, and what was moved aside is its fresh lock: put it back.
  if (taken !== undefined && taken !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return 'nobody';
}

async function holderLives(text: string): Promise<boolean> {
  const [pid, identity] = text.split(' ');
  return (await identityOf(Number(pid))) === identity;
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
