/** `holdpoint start` as its user meets it, at reduced size: a process on given servers, with canned proposals. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunDocument } from '../../cli/start/run-batch.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { testTemporal } from '../support/temporal.ts';

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

const bin = fileURLToPath(new URL('../../bin/holdpoint.mjs', import.meta.url));
const queuePrefix = `start-${randomBytes(4).toString('hex')}`;
let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let results: string;

beforeAll(async () => {
  const [temporal, own] = await Promise.all([testTemporal(), testDatabase()]);
  database = own;
  results = await mkdtemp(join(tmpdir(), 'holdpoint-start-'));
  env = { ...process.env, TEMPORAL_ADDRESS: temporal.address, TEMPORAL_UI_URL: 'http://ui.test', DATABASE_URL: own.ownerUrl, HOLDPOINT_QUEUE_PREFIX: queuePrefix, OLLAMA_HOST: 'http://127.0.0.1:9' };
});
afterAll(async () => {
  await database.close();
  await rm(results, { recursive: true });
});

const smoke = ['start', '--json', '--design', 'smoke', '--models', 'always-act'];

function launch(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended>; err: () => string; out: () => string } {
  const child = spawn(process.execPath, [bin, ...args, ...(args[0] === 'start' || args[0] === 'run' ? ['--results', results] : [])], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => { out += bytes.toString(); });
  child.stderr.on('data', (bytes: Buffer) => { err += bytes.toString(); });
  const ended = new Promise<Ended>((resolve) => { child.once('close', (code) => { resolve({ code, out, err }); }); });
  return { child, ended, err: () => err, out: () => out };
}

async function filesOf(runId: string): Promise<Record<string, string>> {
  const folder = join(results, runId);
  return Object.fromEntries(await Promise.all((await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)));
}

describe('a run', () => {
  let first: RunDocument;

  test('prints one document and nothing else, and writes its records whole', async () => {
    const { code, out, err } = await launch([...smoke, '--exit']).ended;
    expect(code, err).toBe(0);
    first = JSON.parse(out) as RunDocument;
    expect(first).toMatchObject({ episodes: 32, models: [{ name: 'always-act', digest: null, asked: 8, valid: 8, acted: 8, abstained: 0, wrongArguments: 0 }] });
    for (const guard of ['epoch', 'version', 'predicate'] as const) expect(first.guards[guard]).toMatchObject({ decisions: 8, unsafe: 0, unjudged: 0 });
    expect(first.guards.predicate).toMatchObject({ duplicates: 0, blockedBenign: 0, wrongEffect: 0 });
    expect(first.report).toBe(join(results, first.run, 'table.md'));
    expect(first.links?.batch).toBe(`http://ui.test/namespaces/default/workflows?query=${encodeURIComponent(`holdpointBatch="${first.run}"`)}`);
    const files = await filesOf(first.run);
    expect(Object.keys(files).sort()).toEqual(['decisions.jsonl', 'manifest.json', 'table.md', 'times.jsonl']);
    const ids = (files['decisions.jsonl'] ?? '').trimEnd().split('\n').map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toHaveLength(32);
    expect(ids).toEqual([...ids].sort());
    expect(files['decisions.jsonl']).not.toMatch(/\d{4}-\d\d-\d\dT|worldId/);
  }, 120_000);

  test('named again, gives the same bytes from the database alone', async () => {
    const before = await filesOf(first.run);
    await rm(join(results, first.run), { recursive: true });
    const { code, out, err } = await launch([...smoke, '--exit', '--run', first.run]).ended;
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toEqual(first);
    const { 'manifest.json': manifest = '', ...rest } = await filesOf(first.run);
    expect({ ...rest, 'manifest.json': withoutGit(manifest) }).toEqual({ ...before, 'manifest.json': withoutGit(before['manifest.json'] ?? '') });
  }, 120_000);

  test('killed in the middle, goes on under the same id and does nothing twice', async () => {
    const killed = launch([...smoke, '--seed', '14', '--window', '2']);
    const id = await vi.waitFor(() => /batch: (smoke-\S+) started/.exec(killed.err())?.[1] ?? Promise.reject(new Error('not yet')), { timeout: 60_000, interval: 20 });
    await vi.waitFor(async () => {
      const { rows: [row] } = await database.owner.query<{ n: number }>('select count(*)::int as n from holdpoint.episodes where batch_id = $1 and outcome is not null', [id]);
      expect(row?.n).toBeGreaterThan(3);
    }, { timeout: 60_000, interval: 20 });
    killed.child.kill('SIGKILL');
    await killed.ended;
    const { code, out, err } = await launch([...smoke, '--seed', '14', '--window', '2', '--exit']).ended;
    expect(code, err).toBe(0);
    const document = JSON.parse(out) as RunDocument;
    expect(document).toMatchObject({ run: id, episodes: 32 });
    expect(document.guards.none.classes).toEqual({ committed: 8 });
    const { rows } = await database.owner.query('select op_key from holdpoint.ledger where starts_with(op_key, $1) and verdict = \'committed\' group by 1 having count(*) > 1', [`${id}/`]);
    expect(rows).toEqual([]);
  }, 180_000);

  test('finished, is followed by the next number; it stays up until Ctrl-C and leaves the servers that it found', async () => {
    const up = launch(smoke);
    await vi.waitFor(() => { expect(up.err()).toContain('Up until Ctrl-C'); }, { timeout: 120_000, interval: 50 });
    expect((JSON.parse(up.out()) as RunDocument).run).toBe(`${first.run}-2`);
    up.child.kill('SIGINT');
    expect((await up.ended).code).toBe(0);
    await expect(database.owner.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
  }, 150_000);
});

test('whose proposers hear evidence: the records keep what each was told, and on what it was told it decided', async () => {
  const { code, out, err } = await launch([...smoke, '--seed', '16', '--returns', 'strongEvidence', '--exit']).ended;
  expect(code, err).toBe(0);
  const { run, guards } = JSON.parse(out) as RunDocument;
  expect(guards.none).toMatchObject({ decisions: 8, unsafe: 4 }); // the stand-in heeds nothing
  expect(guards.predicate).toMatchObject({ decisions: 8, unsafe: 0 });
  const told = ((await filesOf(run))['decisions.jsonl'] ?? '').trimEnd().split('\n').map((line) => JSON.parse(line) as { condition: string; attempts: unknown[] });
  for (const { condition, attempts } of told) expect(attempts[0]).toMatchObject({ verdict: 'closed', reason: 'evidence_returned', told: condition === 'clean' ? [] : ['policy_violated'] });
}, 120_000);

test('interrupted in the middle, says in one sentence how to go on', async () => {
  const run = launch([...smoke, '--seed', '15']);
  await vi.waitFor(() => { expect(run.err()).toContain('batch: smoke-'); }, { timeout: 60_000, interval: 20 });
  run.child.kill('SIGTERM');
  const { code, out, err } = await run.ended;
  expect([code, out]).toEqual([1, '']);
  expect(err.trimEnd().split('\n').at(-1)).toBe('holdpoint: Interrupted: the same command goes on where this one stopped.');
}, 120_000);

test.each([
  [['start', '--design', 'huge'], 2, /--design takes pilot or smoke/],
  [['start', '--run', '../x'], 2, /--run takes/],
  [['start', '--models', ' , '], 2, /--models takes/],
  [['start', '--exit', '--models', 'nosuch'], 1, /OLLAMA_HOST is .* but no Ollama answers there/],
  [['run', '--models', ''], 2, /--models takes/],
  [['run', '--returns', 'block'], 2, /--returns takes fastEvidence, strongEvidence, guardBlock/],
  [['run'], 1, /No Ollama answers .* name them by --models/],
  [['clean', '--older-than', 'soon'], 2, /--older-than takes a number with s, m, h or d/],
])('%s ends with one sentence', async (args, expected, sentence) => {
  const { code, out, err } = await launch(args).ended;
  expect([code, out], err).toEqual([expected, '']);
  expect(err.trimEnd().split('\n').at(-1)).toMatch(sentence);
  expect(err).not.toMatch(/^ {4}at /m);
}, 60_000);

test('a migrated database is up to date', async () => {
  const { code, out } = await launch(['migrate', '--json']).ended;
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ applied: [], functions: [] });
}, 30_000);

/** The checkout may be committed to between two runs. */
function withoutGit(manifest: string): unknown {
  return { ...(JSON.parse(manifest) as object), git: null };
}
