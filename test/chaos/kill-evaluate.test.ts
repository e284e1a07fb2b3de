/** An evaluation that is killed where nobody chose, again and again, ends as if it had never been killed. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomStream } from '../../contract/random.ts';
import { startCommand, type CommandEnd } from '../support/command.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const seed = Number(process.env['HOLDPOINT_SEED'] ?? randomInt(2 ** 31));
const folders = mkdtempSync(join(tmpdir(), 'holdpoint-kill-'));
let db: TestDatabase;
beforeAll(async () => { db = await testDatabase(); });
afterAll(async () => {
  rmSync(folders, { recursive: true, force: true });
  await db.close();
});

/** Runs it, for at most so long. */
async function evaluated(folder: string, killAfterMs?: number): Promise<CommandEnd> {
  const { child, end } = startCommand(['evaluate', '--design', 'pilot', '--seeds', '13', '--json', '--quiet', '--results', folder], { DATABASE_URL: db.ownerUrl });
  const done = new AbortController();
  if (killAfterMs !== undefined) void sleep(killAfterMs, undefined, { signal: done.signal }).then(() => child.kill('SIGKILL'), () => undefined);
  return end.finally(() => { done.abort(); });
}

/** Where it lies and how fast it was is all that may differ. */
function countsOf({ stdout }: CommandEnd): Record<string, unknown> {
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  return { ...printed, folder: null, outcomesPerS: null };
}

test(`killed up to five times and resumed, it has the same bytes (HOLDPOINT_SEED=${String(seed)})`, async () => {
  const random = randomStream(seed, 'evaluate', 'sigkill');
  const [whole, folder] = [join(folders, 'whole'), join(folders, 'killed')];
  const startedMs = performance.now();
  const undisturbed = await evaluated(whole);
  expect(undisturbed.code, undisturbed.stderr).toBe(0);
  // From shortly after its start to its end, so that loading the program is not all that is ever killed.
  const tookMs = Math.round(performance.now() - startedMs);
  let end: CommandEnd | undefined;
  let kills = 0;
  for (; kills < 5; kills += 1) {
    end = await evaluated(folder, random.integer(Math.round(tookMs / 4), tookMs));
    if (end.signal !== 'SIGKILL') break;
  }
  if (end?.signal === 'SIGKILL') end = await evaluated(folder);
  expect(end?.code, end?.stderr).toBe(0);
  expect(kills).toBeGreaterThan(0);
  for (const file of ['settings.json', 'proposals.jsonl', 'outcomes.jsonl', 'summary.json', 'replan-settings.json', 'replans.jsonl', 'replanning.json'])
    expect(readFileSync(join(folder, file)).equals(readFileSync(join(whole, file))), file).toBe(true);
  const linesOf = (file: string): number => readFileSync(join(folder, file), 'utf8').trim().split('\n').length;
  expect([linesOf('times.jsonl'), linesOf('replan-times.jsonl')]).toEqual([48, 48]);
  expect(countsOf(end as CommandEnd)).toEqual(countsOf(undisturbed));
}, 300_000);
