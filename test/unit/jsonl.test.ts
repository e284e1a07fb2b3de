/** Files of JSON lines: what a killed writer left, lines longer than a read, and many writers with a folder each. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { write } from '../../cli/evaluate/records.ts';
import { countRecords, cutAt, wholeRecords } from '../../cli/records/jsonl.ts';
import { damages } from '../support/damaged-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-jsonl-'));
afterAll(() => { rmSync(folder, { recursive: true }); });
const path = join(folder, 'lines.jsonl');
beforeEach(() => { for (const name of ['lines.jsonl', 'lines.jsonl.torn-1', 'lines.jsonl.torn-2']) rmSync(join(folder, name), { force: true }); });

async function read(from = path): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const line of wholeRecords(from)) records.push(line.record);
  return records;
}

const records = Array.from({ length: 5 }, (_, n) => ({ n, text: `é${'x'.repeat(n)}` }));
const whole = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));

test.each(damages)('with $name: what is whole is read, the rest lies in a side file, and lines written behind it parse', async ({ apply, keeps, isRefused }) => {
  const damaged = apply(whole);
  writeFileSync(path, damaged);
  if (isRefused === true) return expect(read()).rejects.toThrow('line 2 is not JSON');
  const kept = records.slice(0, keeps(records.length));
  expect(await read()).toEqual(kept);
  const { count, endsAt } = await countRecords(path);
  expect(count).toBe(kept.length);
  const cut = await cutAt(path, endsAt);
  expect(cut).toEqual(damaged.length === endsAt ? null : { bytes: damaged.length - endsAt, sideFile: `${path}.torn-1` });
  if (cut !== null) expect(readFileSync(cut.sideFile)).toEqual(damaged.subarray(endsAt));
  const file = await open(path, 'a');
  await write(file, records.slice(kept.length));
  await file.close();
  expect(await read()).toEqual(records);
});

test('a line that is bad elsewhere than at the end is refused with its number, also by whoever only counts', async () => {
  writeFileSync(path, '{"a":1}\n{"a":\n{"a":3}\n');
  await expect(countRecords(path)).rejects.toThrow('line 2 is not JSON');
  writeFileSync(path, Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  await expect(read()).rejects.toThrow('line 1 is not UTF-8');
});

test('a file that is whole, or not there, is not touched; a second cut takes the next side file', async () => {
  expect([await read(), await countRecords(path), await cutAt(path, 0)]).toEqual([[], { count: 0, endsAt: 0 }, null]);
  for (const number of [1, 2]) {
    writeFileSync(path, Buffer.concat([whole, Buffer.from('{')]));
    expect(await cutAt(path, whole.length)).toEqual({ bytes: 1, sideFile: `${path}.torn-${String(number)}` });
  }
  expect(await cutAt(path, whole.length)).toBeNull();
  expect(existsSync(`${path}.torn-3`)).toBe(false);
  expect(await countRecords(path, 2)).toMatchObject({ count: 2 });
  expect(await countRecords(path, 0)).toEqual({ count: 0, endsAt: 0 });
});

test('8 writers of 500 records of 20 kB, a folder each: 4,000 lines, and all of them parse', async () => {
  const [writers, each] = [8, 500];
  const text = 'é'.repeat(10_000);
  const pathOf = (writer: number): string => join(folder, `writer-${String(writer)}`, 'records.jsonl');
  await Promise.all(Array.from({ length: writers }, async (_, writer) => {
    mkdirSync(join(folder, `writer-${String(writer)}`));
    const file = await open(pathOf(writer), 'a');
    for (let record = 0; record < each; record += 1) await write(file, [{ writer, record, text }]);
    await file.close();
  }));
  let lines = 0;
  for (let writer = 0; writer < writers; writer += 1) {
    for (const [index, record] of (await read(pathOf(writer))).entries()) {
      expect(record).toEqual({ writer, record: index, text });
      lines += 1;
    }
  }
  expect(lines).toBe(writers * each);
}, 120_000);
