/** An evaluation that is killed where nobody chose, again and again, ends as if it had never been killed. */
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

const grown = ['outcomes.jsonl', 'replans.jsonl'];
/** What an evaluation has written of what it writes piece by piece. */
const written = (folder: string): number => grown.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);

/** Runs it, to its end or until it has written so much: then it is killed within the next moments. */
async function evaluated(folder: string, kill?: { readonly afterBytes: number; readonly withinMs: number }): Promise<CommandEnd> {
  const { child, end } = startCommand(['evaluate', '--design', 'pilot', '--seeds', '13', '--json', '--quiet', '--results', folder], { DATABASE_URL: db.ownerUrl });
  let isOver = false;
  const watch = async ({ afterBytes, withinMs }: NonNullable<typeof kill>): Promise<void> => {
    await vi.waitUntil(() => isOver || written(folder) >= afterBytes, { interval: 2, timeout: 120_000 });
    await sleep(withinMs); // the moment is what is random: nothing is waited for
    child.kill('SIGKILL');
  };
  if (kill !== undefined) void watch(kill);
  return end.finally(() => { isOver = true; });
}

/** Where it lies and how fast it was is all that may differ. */
function countsOf({ stdout }: CommandEnd): Record<string, unknown> {
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  return { ...printed, folder: null, outcomesPerS: null };
}

test(`killed up to five times and resumed, it has the same bytes (HOLDPOINT_SEED=${String(seed)})`, async () => {
  const random = randomStream(seed, 'evaluate', 'sigkill');
  const [whole, folder] = [join(folders, 'whole'), join(folders, 'killed')];
  const undisturbed = await evaluated(whole);
  expect(undisturbed.code, undisturbed.stderr).toBe(0);
  const all = written(whole);
  let end: CommandEnd | undefined;
  let kills = 0;
  for (; kills < 5; kills += 1) {
    const done = written(folder);
    end = await evaluated(folder, { afterBytes: done + random.integer(1, Math.ceil((all - done) / 2)), withinMs: random.integer(0, 30) });
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
