/** Postgres's data folder: made once, owned by the server's user, with a generated password beside it. */
import { randomBytes } from 'node:crypto';
import { access, chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { partOf } from './files.ts';
import { isRoot, postgresDir } from './paths.ts';
import { ensureSharedDir, type NativePostgres, type ServerUser } from './postgres-native.ts';
import { run, tail } from './run.ts';
import { StackError } from './types.ts';

export type PostgresData = { readonly dir: string; readonly password: string };

/** The data folder of the state folder, made if it is not there. The caller holds the part's lock. @throws StackError with initdb's own words. */
export async function ensureData(stateDir: string, native: NativePostgres, user: ServerUser | undefined): Promise<PostgresData> {
  const base = postgresDir(stateDir);
  if (isRoot()) await ensureSharedDir();
  await mkdir(base, { recursive: true, mode: 0o700 });
  await chmod(base, 0o700);
  if (user !== undefined) await chown(base, user.uid, user.gid);
  const dir = join(base, 'data');
  const passwordFile = join(base, 'password');
  // PG_VERSION tells a real data folder; the folder is renamed into place only when it is whole.
  if (!(await access(join(dir, 'PG_VERSION')).then(() => true, () => false))) await initialise(dir, { passwordFile, native, user });
  await checkMajor(dir, native);
  return { dir, password: (await readFile(passwordFile, 'utf8')).trim() };
}

type Initialise = { readonly passwordFile: string; readonly native: NativePostgres; readonly user: ServerUser | undefined };

async function initialise(dir: string, { passwordFile, native, user }: Initialise): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  const part = partOf(dir);
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const args = ['-D', part, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...locale, '--no-sync', '--no-instructions'];
  const result = await run(join(native.dir, 'bin', 'initdb'), args, { ...user, cwd: join(dir, '..'), env: serverEnv(), timeoutMs: 120_000 });
  if (result.code !== 0) {
    await rm(part, { recursive: true, force: true });
    throw new StackError(`Postgres's data folder could not be made (exit code ${String(result.code)}): ${tail(result.stderr)}`);
  }
  await rename(part, dir);
}

async function checkMajor(dir: string, native: NativePostgres): Promise<void> {
  const major = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  if (native.version.split('.')[0] === major) return;
  throw new StackError(`The data in ${dir} are of Postgres ${major}, but the binaries are ${native.version}: move the folder away to begin anew.`);
}

/** No variable of the person's own Postgres (PGDATA, PGPORT…) reaches ours. */
export function serverEnv(): NodeJS.ProcessEnv {
  const { PATH, TZ } = process.env;
  return { LC_ALL: 'C', ...(PATH !== undefined && { PATH }), ...(TZ !== undefined && { TZ }) };
}

/** Process number and port out of the text of postmaster.pid (lines 1 and 4), or undefined where it is not whole. */
export function parsePostmasterPid(text: string): { pid: number; port: number } | undefined {
  const lines = text.split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return Number.isSafeInteger(pid) && pid > 0 && Number.isSafeInteger(port) && port > 0 ? { pid, port } : undefined;
}
