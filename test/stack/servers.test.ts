/** Real Temporal and Postgres servers: started, found again, killed, started again, and stopped by those who started them only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server as NetServer } from 'node:net';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { searchAttributes } from '../../contract/search-attributes.ts';
import { identityOf } from '../../stack/identity.ts';
import { accepts, freePort } from '../../stack/ports.ts';
import { postgresDir, removeState, startStack, stopRecorded, StackError, type Part, type Stack, type StackLine } from '../../stack/stack.ts';

const timeoutMs = 300_000;
let stateDir: string;
let stacks: Stack[];
let lines: StackLine[];

beforeEach(async () => {
  for (const name of ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'DATABASE_URL', 'OLLAMA_HOST']) vi.stubEnv(name, undefined);
  stateDir = await mkdtemp(join(tmpdir(), 'stack-'));
  // As private as root's home: Postgres must not need to traverse it.
  await chmod(stateDir, 0o700);
  stacks = [];
  lines = [];
});

afterEach(async () => {
  await Promise.all(stacks.map((stack) => stack.stop()));
  await stopRecorded(stateDir);
  await removeState(stateDir, postgresDir(stateDir));
  vi.unstubAllEnvs();
}, timeoutMs);

async function start(parts: readonly Part[], more: { signal?: AbortSignal; stateDir?: string } = {}): Promise<Stack> {
  const stack = await startStack({ parts, stateDir, say: (line) => lines.push(line), ...more });
  stacks.push(stack);
  return stack;
}

async function query(url: string | undefined, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function withTemporal<T>(stack: Stack, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.temporal?.address ?? '' });
  try {
    return await work(new Client({ connection, namespace: stack.temporal?.namespace ?? '' }));
  } finally {
    await connection.close();
  }
}

const portOf = (url: string | undefined): number => Number(new URL(url ?? '').port);

describe('both servers', { timeout: timeoutMs }, () => {
  test('start from nothing, are found by a second start, which stops nothing, and end with the first', async () => {
    const first = await start(['temporal', 'postgres']);
    expect(first.temporal?.startedByUs).toBe(true);
    expect(first.postgres?.startedByUs).toBe(true);
    expect(lines.map((line) => line.part)).toEqual(expect.arrayContaining(['temporal', 'postgres']));
    expect(JSON.stringify(lines)).not.toContain(new URL(first.postgres?.url ?? '').password);

    const second = await start(['temporal', 'postgres']);
    expect(second.temporal).toEqual({ ...first.temporal, startedByUs: false });
    expect(second.postgres).toEqual({ ...first.postgres, startedByUs: false });
    await second.stop();
    expect(await query(first.postgres?.url, 'select 1 as one')).toEqual([{ one: 1 }]);

    const pids = [first.processes.temporal?.pid ?? 0, first.processes.postgres?.pid ?? 0];
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    expect(await Promise.all(pids.map(identityOf))).toEqual([undefined, undefined]);

    const third = await start(['temporal', 'postgres']);
    expect(third.temporal?.address).toBe(first.temporal?.address);
    expect(third.postgres?.url).toBe(first.postgres?.url);
  });

  test('two starts at the same time share one server of each kind', async () => {
    const both = await Promise.all([start(['temporal', 'postgres']), start(['temporal', 'postgres'])]);
    expect(both.filter((stack) => stack.temporal?.startedByUs === true)).toHaveLength(1);
    expect(both.filter((stack) => stack.postgres?.startedByUs === true)).toHaveLength(1);
    expect(both[0].temporal?.address).toBe(both[1].temporal?.address);
    expect(both[0].postgres?.url).toBe(both[1].postgres?.url);
  });

  test('two starts on an empty cache get the server once', async () => {
    vi.stubEnv('HOLDPOINT_CACHE_DIR', join(stateDir, 'cache'));
    vi.stubEnv('PATH', (process.env['PATH'] ?? '').split(':').filter((folder) => !existsSync(join(folder, 'temporal'))).join(':'));
    const other = await mkdtemp(join(tmpdir(), 'stack-other-'));
    try {
      const both = await Promise.all([start(['temporal']), start(['temporal'], { stateDir: other })]);
      expect(both[0].temporal?.from).toMatch(/^cache/);
      expect(both[0].temporal?.from).toBe(both[1].temporal?.from);
      expect(lines.filter((line) => line.text.startsWith('unpacking'))).toHaveLength(1);
      await both[1].stop();
    } finally {
      await removeState(other, postgresDir(other));
    }
  });

  test('two state folders never share a server', async () => {
    const other = await mkdtemp(join(tmpdir(), 'stack-other-'));
    try {
      const [one, two] = await Promise.all([start(['temporal', 'postgres']), start(['temporal', 'postgres'], { stateDir: other })]);
      expect(one.temporal?.address).not.toBe(two.temporal?.address);
      expect(one.postgres?.url).not.toBe(two.postgres?.url);
      await one.stop();
      expect(await query(two.postgres?.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await two.stop();
    } finally {
      await removeState(other, postgresDir(other));
    }
  });

  test('both come back after SIGKILL with the same addresses and what they held', async () => {
    const stack = await start(['temporal', 'postgres']);
    const { temporal, postgres } = stack.processes;
    await query(stack.postgres?.url, 'create table kept as select 7 as n');
    await withTemporal(stack, (client) => client.workflow.start('nobody', { workflowId: 'kept', taskQueue: 'nobody' }));
    const pids = [temporal?.pid, postgres?.pid];
    temporal?.kill('SIGKILL');
    postgres?.kill('SIGKILL');
    await Promise.all([temporal?.restart(), postgres?.restart()]);
    expect(temporal?.pid).not.toBe(pids[0]);
    expect(postgres?.pid).not.toBe(pids[1]);
    expect(await query(stack.postgres?.url, 'select n from kept')).toEqual([{ n: 7 }]);
    const status = await withTemporal(stack, async (client) => (await client.workflow.getHandle('kept').describe()).status.name);
    expect(status).toBe('RUNNING');
    await stack.stop();
    expect(await accepts('127.0.0.1', portOf(stack.postgres?.url), 1_000)).toBe(false);
  });

  test('servers whose starter was killed are found by the next start and can be stopped by their record', async () => {
    const script = `import { startStack } from ${JSON.stringify(new URL('../../stack/stack.ts', import.meta.url).href)};
      await startStack({ parts: ['temporal', 'postgres'], stateDir: process.argv[2], say: () => {} });
      process.stdout.write('up'); setInterval(() => {}, 1000);`;
    const file = join(stateDir, 'starter.mts');
    await writeFile(file, script);
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file, stateDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(String((await once(child.stdout, 'data'))[0])).toBe('up');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const found = await start(['temporal', 'postgres']);
    expect([found.temporal?.startedByUs, found.postgres?.startedByUs]).toEqual([false, false]);
    expect((await stopRecorded(stateDir)).sort()).toEqual(['postgres', 'temporal']);
    expect(await accepts('127.0.0.1', portOf(found.postgres?.url), 1_000)).toBe(false);
  });

  test('where one part cannot be had, the other is stopped again', async () => {
    vi.stubEnv('DATABASE_URL', `postgres://u:secret@127.0.0.1:${String(await freePort([]))}/x`);
    const failure: unknown = await start(['temporal', 'postgres']).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StackError);
    expect(String(failure)).toMatch(/DATABASE_URL.*no Postgres answers.*unset DATABASE_URL/);
    expect(String(failure)).not.toContain('secret');
    expect(await stopRecorded(stateDir)).toEqual([]);
  });

  test('an abort while starting leaves nothing running', async () => {
    const abort = new AbortController();
    const starting = start(['temporal', 'postgres'], { signal: abort.signal });
    abort.abort(new Error('no longer wanted'));
    await expect(starting).rejects.toThrow('no longer wanted');
    expect(await stopRecorded(stateDir)).toEqual([]);
  });
});

describe('Temporal', { timeout: timeoutMs }, () => {
  test('takes a workflow with every search attribute at once, and leaves no probe in the list', async () => {
    const stack = await start(['temporal']);
    const typedSearchAttributes = Object.entries(searchAttributes).map(([name, type]): SearchAttributePair => {
      if (type === 'Keyword') return { key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value: 'x' };
      if (type === 'Datetime') return { key: defineSearchAttributeKey(name, SearchAttributeType.DATETIME), value: new Date(0) };
      return { key: defineSearchAttributeKey(name, SearchAttributeType.BOOL), value: true };
    });
    await withTemporal(stack, async (client) => {
      await client.workflow.start('nobody', { workflowId: 'all', taskQueue: 'nobody', typedSearchAttributes });
      await vi.waitFor(async () => {
        const ids: string[] = [];
        for await (const found of client.workflow.list()) ids.push(found.workflowId);
        expect(ids).toEqual(['all']);
      }, { timeout: 60_000, interval: 200 });
    });
  });

  test('a server from the environment gets the search attributes and is never stopped', async () => {
    const ours = await start(['temporal']);
    vi.stubEnv('TEMPORAL_ADDRESS', ours.temporal?.address);
    vi.stubEnv('TEMPORAL_UI_URL', 'http://ui.example');
    const given = await start(['temporal']);
    expect(given.temporal).toMatchObject({ from: 'TEMPORAL_ADDRESS', startedByUs: false, uiUrl: 'http://ui.example' });
    await given.stop();
    expect(await identityOf(ours.processes.temporal?.pid ?? 0)).toBeDefined();
    vi.stubEnv('TEMPORAL_NAMESPACE', 'elsewhere');
    await expect(start(['temporal'])).rejects.toThrow(/no namespace "elsewhere".*TEMPORAL_NAMESPACE/);
  });

  test('an address that does not answer is one sentence, and no other server is started', async () => {
    vi.stubEnv('TEMPORAL_ADDRESS', `127.0.0.1:${String(await freePort([]))}`);
    await expect(start(['temporal'])).rejects.toThrow(/^TEMPORAL_ADDRESS is .* no Temporal server answers there: .* unset TEMPORAL_ADDRESS/);
    expect(await stopRecorded(stateDir)).toEqual([]);
  });
});

describe('Postgres', { timeout: timeoutMs }, () => {
  test('listens on the loopback only, asks for the password, and keeps it unreadable for others', async () => {
    const stack = await start(['postgres']);
    const url = new URL(stack.postgres?.url ?? '');
    expect(await query(url.href, `select current_setting('listen_addresses') as at, current_setting('max_connections') as most, current_setting('server_encoding') as code`))
      .toEqual([{ at: '127.0.0.1', most: '200', code: 'UTF8' }]);
    url.password = 'wrong';
    await expect(query(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    expect((await stat(join(postgresDir(stateDir), 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(postgresDir(stateDir), 'data'))).mode & 0o777).toBe(0o700);
  });

  test('goes to another port where its own was taken meanwhile', async () => {
    const first = await start(['postgres']);
    await first.stop();
    const squatter: NetServer = createServer().listen(portOf(first.postgres?.url), '127.0.0.1');
    await once(squatter, 'listening');
    try {
      const second = await start(['postgres']);
      expect(portOf(second.postgres?.url)).not.toBe(portOf(first.postgres?.url));
      expect(await query(second.postgres?.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      squatter.close();
    }
  });

  test('a half-made data folder is made anew, and spoilt data are told with the log', async () => {
    const first = await start(['postgres']);
    await first.stop();
    const data = join(postgresDir(stateDir), 'data');
    await writeFile(join(data, 'postgresql.conf'), 'nonsense = 1\n');
    await expect(start(['postgres'])).rejects.toThrow(/Postgres ended at once \(exit code 1\).*nonsense/);
    await rm(join(data, 'PG_VERSION'));
    const again = await start(['postgres']);
    expect(await query(again.postgres?.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a postmaster whose record was lost is found by its own pid file', async () => {
    const first = await start(['postgres']);
    await rm(join(stateDir, 'postgres.json'));
    const second = await start(['postgres']);
    expect(second.postgres).toEqual({ ...first.postgres, startedByUs: false });
    expect(JSON.parse(await readFile(join(stateDir, 'postgres.json'), 'utf8'))).toMatchObject({ pid: first.processes.postgres?.pid });
  });

  test('a URL that is none is one sentence', async () => {
    vi.stubEnv('DATABASE_URL', 'localhost/holdpoint');
    await expect(start(['postgres'])).rejects.toThrow(/^DATABASE_URL is not a URL/);
  });
});
