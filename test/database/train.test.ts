/** The learned router's weights are what a real evaluation of the development templates gives, byte by byte. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pretty, writeWhole } from '../../cli/records/write-whole.ts';
import { trainedWeights } from '../../cli/train/weights.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-train-'));
let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

test('training anew on Postgres gives the file in the repository', async () => {
  const weights = await trainedWeights({ folder: join(folder, 'run'), concurrency: 4, signal: new AbortController().signal }, (use) => use(db.pool));
  await writeWhole(join(folder, 'weights.json'), pretty(weights));
  expect(readFileSync(join(folder, 'weights.json'), 'utf8')).toBe(readFileSync(new URL('../../guards/controllers/support-weights.json', import.meta.url), 'utf8'));
}, 120_000);
