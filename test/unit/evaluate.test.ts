/** The evaluation without a database: its plan, files that a kill left, and what a person may ask for. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { cutAt, wholeRecords } from '../../cli/records/jsonl.ts';
import { plannedDecisions, plannedRuns, type Choice } from '../../cli/evaluate/plan.ts';
import { main } from '../../cli/main.ts';
import { Condition } from '../../contract/case.ts';
import type { Controller } from '../../contract/controller.ts';
import { designs, designCells } from '../../scenarios/design.ts';
import { templates } from '../../scenarios/index.ts';
import { courseOf } from '../../scenarios/steps.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-evaluate-'));
afterAll(() => { rmSync(folder, { recursive: true }); });

const choice: Choice = { design: 'smoke', proposers: ['always-act'], seeds: [13, 42], telemetry: 'both' };
const unmoved: Controller = { name: 'predicate-guard', decide: () => ({ kind: 'commit', guard: { kind: 'predicate', without: [] } }) };
const byAge: Controller = { name: 'ttl-gate', decide: ({ telemetry }) => (telemetry.ageMs > 10_000 ? { kind: 'escalate' } : { kind: 'commit', guard: { kind: 'none', without: [] } }) };

describe('the plan', () => {
  test('has every case of the design for every proposer and seed, once, in one order', () => {
    const decisions = plannedDecisions({ ...choice, proposers: ['always-act', 'a-model'] });
    expect(decisions).toHaveLength(designCells(designs.smoke).length * 4);
    expect(new Set(decisions.map((decision) => JSON.stringify(decision))).size).toBe(decisions.length);
    expect(decisions[0]).toMatchObject({ proposer: 'always-act', seed: 13 });
    expect(decisions.at(-1)).toMatchObject({ proposer: 'a-model', seed: 42 });
  });

  test('has the degraded profile for those controllers alone whose action depends on telemetry', () => {
    const names = (telemetry: Choice['telemetry']): string[] => plannedRuns([unmoved, byAge], telemetry).map((run) => `${run.controller.name} ${run.telemetry}`);
    expect(names('both')).toEqual(['predicate-guard canonical', 'ttl-gate canonical', 'ttl-gate degraded']);
    expect(names('canonical')).toEqual(['predicate-guard canonical', 'ttl-gate canonical']);
    expect(names('degraded')).toEqual(['predicate-guard degraded', 'ttl-gate degraded']);
  });
});

test('an ordinary read is late in both twins of delayed visibility and nowhere else', () => {
  for (const template of templates) for (const condition of Condition.options) for (const twin of ['hazardous', 'benign'] as const)
    expect(courseOf(template, condition, twin).fastSees).toBe(condition === 'delayed-visibility' ? 'seed' : 'now');
});

describe('a file of JSON lines that a killed writer left', () => {
  const path = join(folder, 'lines.jsonl');
  beforeEach(() => { for (const name of ['lines.jsonl', 'lines.jsonl.torn-1']) rmSync(join(folder, name), { force: true }); });
  const whole = '{"a":"é"}\n{"a":2}\n';
  const read = async (): Promise<{ records: unknown[]; endsAt: number }> => {
    const records: unknown[] = [];
    let endsAt = 0;
    for await (const line of wholeRecords(path)) {
      records.push(line.record);
      endsAt = line.endsAt;
    }
    return { records, endsAt };
  };

  test.each([
    ['half a record', Buffer.from('{"a":')], ['the middle of a character', Buffer.from('{"a":"é').subarray(0, 7)], ['a full record without newline', Buffer.from('{"a":3}')],
    ['an empty last line', Buffer.from('\n')],
  ])('ending in %s is read up to there, and the rest goes to a side file', async (_, tail) => {
    writeFileSync(path, Buffer.concat([Buffer.from(whole), tail]));
    const { records, endsAt } = await read();
    expect(records).toEqual([{ a: 'é' }, { a: 2 }]);
    expect(await cutAt(path, endsAt)).toEqual({ bytes: tail.length, sideFile: `${path}.torn-1` });
    expect(readFileSync(path, 'utf8')).toBe(whole);
    expect(readFileSync(`${path}.torn-1`)).toEqual(tail);
  });

  test('with a bad line in the middle is refused with the line\'s number', async () => {
    writeFileSync(path, '{"a":1}\n{"a":\n{"a":3}\n');
    await expect(read()).rejects.toThrow('line 2 is not JSON');
    writeFileSync(path, Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    await expect(read()).rejects.toThrow('line 1 is not UTF-8');
  });

  test('with CRLF is read, and a whole file is not touched', async () => {
    writeFileSync(path, whole.replaceAll('\n', '\r\n'));
    const { records, endsAt } = await read();
    expect(records).toEqual([{ a: 'é' }, { a: 2 }]);
    expect(await cutAt(path, endsAt)).toBeNull();
    expect(existsSync(`${path}.torn-1`)).toBe(false);
  });

  test('that is not there has no lines', async () => {
    expect(await read()).toEqual({ records: [], endsAt: 0 });
    expect(await cutAt(path, 0)).toBeNull();
  });
});

test.each([
  [['--design', 'large'], '--design takes'], [['--seeds', '13,x'], '--seeds takes'], [['--seeds', ''], '--seeds takes'], [['--telemetry', 'broken'], '--telemetry takes'],
  [['--proposer', ','], '--proposer takes'], [['--concurrency', '0'], '--concurrency takes'],
])('wrong input %j ends with one sentence and exit code 2', async (args, sentence) => {
  const said: string[] = [];
  const { exitCode } = process;
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  try {
    await main(['node', 'holdpoint', 'evaluate', ...args]);
    expect(process.exitCode).toBe(2);
    expect(said.join('')).toContain(sentence);
    expect(said.join('').trim().split('\n')).toHaveLength(1);
  } finally {
    spy.mockRestore();
    process.exitCode = exitCode;
  }
});
