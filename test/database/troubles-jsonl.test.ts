/** Trouble: every file of JSON lines that a command goes on with, damaged in every way: what is whole is kept, the rest is done again and told, and a bad line is never skipped. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Choice } from '../../cli/evaluate/plan.ts';
import { replanAll, type Replanning } from '../../cli/evaluate/replan/run.ts';
import { evaluate, type Finished } from '../../cli/evaluate/run.ts';
import { freeze } from '../../cli/freeze/run.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { damages, type Damage } from '../support/damaged-lines.ts';
import { says, startOllamaStub, stubDigest, type OllamaStub } from '../support/ollama-stub.ts';
import { testDatabase } from '../support/postgres.ts';

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-troubles-jsonl-'));
const never = new AbortController().signal;
let stub: OllamaStub;
beforeAll(async () => { stub = await startOllamaStub(['tiny'], () => says('{"decision":"abstain","tool":"none","arguments":{},"confidence":0.5}')); });
afterAll(async () => {
  rmSync(folders, { recursive: true, force: true });
  await stub.close();
});

const choice: Choice = { design: 'smoke', proposers: ['always-act'], seeds: [13], telemetry: 'canonical' };
const few = controllers.filter(({ name }) => name === 'always-execute' || name === 'predicate-guard');

async function evaluated(folder: string, say: (line: string) => void): Promise<{ finished: Finished; replanning: Replanning }> {
  const db = await testDatabase();
  try {
    const evaluation = { choice, folder, concurrency: 4, signal: never, say };
    const finished = await evaluate({ ...evaluation, controllers: few, chunkSize: 2 }, (use) => use(db.pool));
    return { finished, replanning: await replanAll({ ...evaluation, chunkSize: 1 }, (use) => use(db.pool)) };
  } finally {
    await db.close();
  }
}

async function frozen(folder: string, say: (line: string) => void): Promise<unknown> {
  const db = await testDatabase();
  try {
    const asked = { design: 'smoke', seeds: [13], repeat: 0, caution: false, models: [{ name: 'tiny', digest: stubDigest }] } as const;
    return (await freeze({ choice: asked, folder, servers: { pool: db.pool, ollamaHost: stub.host, signal: never }, say })).proposals;
  } finally {
    await db.close();
  }
}

const recordsOf = (path: string): unknown[] => readFileSync(path, 'utf8').split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);
/** Times of lines that were done again differ; which decisions have one does not. */
const withoutTimes = (record: unknown): unknown => ({ ...(record as object), startedAt: null, ms: null });

type Command = { readonly name: string; readonly files: readonly string[]; readonly run: (folder: string, say: (line: string) => void) => Promise<unknown> };
const commands: readonly Command[] = [
  { name: 'evaluate and its replans', files: ['proposals.jsonl', 'outcomes.jsonl', 'times.jsonl', 'replans.jsonl', 'replan-times.jsonl'], run: async (folder, say) => {
    const { finished: { summary, outcomes }, replanning } = await evaluated(folder, say);
    return { summary, outcomes, replanning };
  } },
  { name: 'freeze', files: ['proposals.jsonl'], run: frozen },
];

describe.each(commands)('$name', ({ name, files, run }) => {
  const whole = join(folders, `${name}-whole`);
  let counts: unknown;
  beforeAll(async () => { counts = await run(whole, () => undefined); });

  const damagedCopy = (label: string, damaged: readonly string[], { apply }: Damage): string => {
    const folder = join(folders, `${name}-${label}`);
    cpSync(whole, folder, { recursive: true });
    for (const file of damaged) writeFileSync(join(folder, file), apply(readFileSync(join(folder, file))));
    return folder;
  };

  test.each(damages.filter(({ isRefused }) => isRefused !== true))('with $name in every file: the counts are right, every line parses, and what was cut off is told', async (damage) => {
    const folder = damagedCopy(damage.name, files, damage);
    const said: string[] = [];
    expect(await run(folder, (line) => said.push(line))).toEqual(counts);
    for (const file of files) {
      const times = file.includes('times');
      const [now, then] = [recordsOf(join(folder, file)), recordsOf(join(whole, file))];
      expect(times ? now.map(withoutTimes) : now, file).toEqual(times ? then.map(withoutTimes) : then);
      const tail = damage.apply(readFileSync(join(whole, file))).at(-1) !== 10 || damage.name === 'an empty last line';
      if (tail) expect(said.join('\n'), file).toContain(`${file}.torn-1`);
    }
  }, 120_000);

  test.each(files)('with a bad line in the middle of %s: it is refused by name and number, and nothing is touched', async (file) => {
    const [bad] = damages.filter(({ isRefused }) => isRefused === true);
    const folder = damagedCopy(`bad-${file}`, [file], bad as Damage);
    const before = files.map((one) => readFileSync(join(folder, one), 'utf8'));
    await expect(run(folder, () => undefined)).rejects.toThrow(`${join(folder, file)}, line 2 is not JSON`);
    expect(files.map((one) => readFileSync(join(folder, one), 'utf8'))).toEqual(before);
  }, 120_000);

  test.each(files.filter((file) => file.includes('times')))('with the last line of %s alone torn: its decision is done again', async (file) => {
    const folder = damagedCopy(`lone-${file}`, [file], damages[2] as Damage);
    expect(await run(folder, () => undefined)).toEqual(counts);
    expect(recordsOf(join(folder, file)).map(withoutTimes)).toEqual(recordsOf(join(whole, file)).map(withoutTimes));
  }, 120_000);
});

test('an evaluation that misses a frozen answer refuses, and leaves the torn file to the freeze', async () => {
  const folder = join(folders, 'left-alone');
  await frozen(folder, () => undefined);
  const path = join(folder, 'proposals.jsonl');
  const torn = readFileSync(path).subarray(0, -1);
  writeFileSync(path, torn);
  const tiny = { choice: { ...choice, proposers: ['tiny'] }, folder, controllers: few, concurrency: 1, signal: never };
  await expect(evaluate(tiny, () => Promise.reject(new Error('a database was asked for')))).rejects.toThrow('no answer of tiny to 1 of the planned decisions');
  expect(readFileSync(path)).toEqual(torn);
  const said: string[] = [];
  await frozen(folder, (line) => said.push(line));
  expect(said.join('\n')).toContain('proposals.jsonl.torn-1');
  expect(recordsOf(path)).toHaveLength(8);
}, 60_000);
