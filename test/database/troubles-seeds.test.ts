/** Trouble: seeds that do not reproduce. The same seed gives the same statistics, byte for byte, whatever ran beside it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { replanAll } from '../../cli/evaluate/replan/run.ts';
import { evaluate } from '../../cli/evaluate/run.ts';
import { main } from '../../cli/main.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { testDatabase } from '../support/postgres.ts';

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-seeds-'));
afterAll(() => { rmSync(folders, { recursive: true, force: true }); });

/** Everything but times: a report names its folder, so both have the same name. */
async function statistics(place: string, concurrency: number): Promise<ReadonlyMap<string, string>> {
  const folder = join(folders, place, 'run');
  const db = await testDatabase();
  try {
    const evaluation = { choice: { design: 'smoke', proposers: ['always-act'], seeds: [13], telemetry: 'both' }, folder, concurrency, signal: new AbortController().signal } as const;
    await evaluate({ ...evaluation, controllers }, (use) => use(db.pool));
    await replanAll(evaluation, (use) => use(db.pool));
  } finally {
    await db.close();
  }
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  try {
    await main(['node', 'holdpoint', 'report', folder, '--json', '--quiet']);
  } finally {
    spy.mockRestore();
  }
  const names = readdirSync(folder).filter((name) => !name.includes('times'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

test('evaluated and reported twice, one decision at a time and eight, every statistics file has the same bytes', async () => {
  const [alone, together] = [await statistics('alone', 1), await statistics('together', 8)];
  for (const name of ['settings.json', 'outcomes.jsonl', 'summary.json', 'replans.jsonl', 'replanning.json', 'report.md', 'report.html']) expect([...alone.keys()]).toContain(name);
  expect([...together.keys()]).toEqual([...alone.keys()]);
  for (const [name, text] of alone) expect(together.get(name) === text, name).toBe(true);
}, 180_000);
