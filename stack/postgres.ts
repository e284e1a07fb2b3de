/** The Postgres part: DATABASE_URL, else a server of ours, found running or started from the npm package's binaries. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './files.ts';
import { commandLineOf, identityOf } from './identity.ts';
import { filled, logFile } from './paths.ts';
import { freePort, isFree, loopback } from './ports.ts';
import { ensureData, parsePostmasterPid, serverEnv, type PostgresData } from './postgres-data.ts';
import { getNative, serverUser, type NativePostgres, type ServerUser } from './postgres-native.ts';
import { askPostgres, placeOf, withoutPassword, type PostgresPlace } from './postgres-probe.ts';
import { startServer, type ServerSpec, type Started } from './process.ts';
import { lockOf, readRecord, stopSpecs, writeRecord } from './record.ts';
import { StackError, type PostgresPart, type StackOptions } from './types.ts';

const startTimeoutMs = 60_000;

/** Finds or starts Postgres. The URL leads to the database `postgres` as its owner. @throws StackError */
export async function startPostgres(options: StackOptions): Promise<Started<PostgresPart>> {
  const url = filled(process.env['DATABASE_URL']);
  if (url !== undefined) return { part: await given(url, options) };
  const { stateDir, signal, say } = options;
  const onWait = (): void => { say({ part: 'postgres', text: 'waiting for another process that is starting it' }); };
  return withLock(lockOf(stateDir, 'postgres'), { signal, onWait }, async () => {
    const user = await serverUser();
    const native = await getNative(user);
    signal?.throwIfAborted();
    const data = await ensureData(stateDir, native, user);
    const started = (await reuse(options, native, data)) ?? (await launch(options, { native, data, user }));
    const { version, from, startedByUs } = started.part;
    say({ part: 'postgres', text: `${startedByUs ? 'started' : 'already running'} at ${withoutPassword(started.part.url)} (${version}, from ${from})` });
    return started;
  });
}

async function given(url: string, options: StackOptions): Promise<PostgresPart> {
  const mend = 'start it, correct the URL, or unset DATABASE_URL to have one started here.';
  let place: PostgresPlace;
  try {
    place = placeOf(url);
  } catch {
    throw new StackError(`DATABASE_URL is not a URL like postgres://user:password@host:5432/database: ${mend}`);
  }
  const answer = await askPatiently(place, 5_000);
  if (answer === 'silent') throw new StackError(`DATABASE_URL is ${withoutPassword(url)}, but no Postgres answers there: ${mend}`);
  if (answer === 'starting') throw new StackError(`DATABASE_URL is ${withoutPassword(url)}, but that Postgres takes no connections yet: try again when it has started.`);
  options.say({ part: 'postgres', text: `using ${withoutPassword(url)} (from DATABASE_URL)` });
  return { url, version: 'unknown', from: 'DATABASE_URL', startedByUs: false };
}

/** Asks until it is ready or the time is up; a silence is believed at once. */
async function askPatiently(place: PostgresPlace, timeoutMs: number): Promise<'ready' | 'starting' | 'silent'> {
  const untilMs = Date.now() + timeoutMs;
  for (;;) {
    const answer = await askPostgres(place, timeoutMs);
    if (answer !== 'starting' || Date.now() > untilMs) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A postmaster of ours on this data: its own pid file is the truth, for it outlives our record. */
async function reuse(options: StackOptions, native: NativePostgres, data: PostgresData): Promise<Started<PostgresPart> | undefined> {
  const running = parsePostmasterPid(await readFile(join(data.dir, 'postmaster.pid'), 'utf8').catch(() => ''));
  const identity = running === undefined ? undefined : await identityOf(running.pid);
  // A left-over file may name a process that is another by now: Postgres itself then sorts it out.
  if (running === undefined || identity === undefined || !(await commandLineOf(running.pid)).includes(data.dir)) return undefined;
  if ((await askPatiently({ host: loopback, port: running.port }, startTimeoutMs)) !== 'ready') return undefined;
  const { version, from } = native;
  await writeRecord(options.stateDir, 'postgres', { ...running, identity, version, from });
  return { part: { url: urlOf(data, running.port), version, from, startedByUs: false } };
}

type Launch = { readonly native: NativePostgres; readonly data: PostgresData; readonly user: ServerUser | undefined };

async function launch(options: StackOptions, what: Launch): Promise<Started<PostgresPart>> {
  const before = await readRecord(options.stateDir, 'postgres');
  const { version, from } = what.native;
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(before === undefined ? [] : [before.port]);
    try {
      const server = await startServer(specOf(options, what, port), options.signal);
      return { part: { url: urlOf(what.data, port), version, from, startedByUs: true }, server };
    } catch (error) {
      // Between choosing the port and using it another process may have taken it.
      if ((await isFree(port)) || attempt === 3) throw error;
    }
  }
}

function specOf(options: StackOptions, { native, data, user }: Launch, port: number): ServerSpec {
  const { version, from } = native;
  const settings = [`listen_addresses=${loopback}`, 'unix_socket_directories=', 'max_connections=200'];
  return {
    ...stopSpecs.postgres, ...user,
    name: 'Postgres', command: join(native.dir, 'bin', 'postgres'), cwd: data.dir, logFile: logFile(options.stateDir, 'postgres'),
    args: ['-D', data.dir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    env: serverEnv(),
    answers: async () => (await askPostgres({ host: loopback, port }, 1_000)) === 'ready',
    onLaunched: (mark) => writeRecord(options.stateDir, 'postgres', { ...mark, port, version, from }),
    // Right after a SIGKILL the dead postmaster may still hold its number in postmaster.pid, and the first try ends at once.
    startTimeoutMs, retryMs: 5_000,
  };
}

const urlOf = (data: PostgresData, port: number): string => `postgres://postgres:${data.password}@${loopback}:${String(port)}/postgres`;
