/** `holdpoint histories`: a break is one sentence that names workflow, event, and the command expected and found; a recording from real servers replays. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkHistories, keptFolder } from '../../cli/histories/check.ts';
import { recordHistories } from '../../cli/histories/record.ts';
import { eventOf, load } from './altering.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-histories-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the kept histories replay', async () => {
  const { histories, breaks } = await checkHistories(keptFolder);
  expect(histories).toBeGreaterThanOrEqual(15);
  expect(breaks).toEqual([]);
});

test('one that breaks is named with its event, and the command expected and found', async () => {
  const history = await load('episode-raced');
  const event = eventOf(history, 'mutate', 'scheduled');
  (event['activityTaskScheduledEventAttributes'] as { activityType: { name: string } }).activityType.name = 'change';
  const file = join(folder, 'episode-raced.json');
  await writeFile(file, JSON.stringify(history));
  const { breaks: [found] } = await checkHistories(folder);
  expect(found).toMatchObject({ workflowId: 'episode-raced', workflowType: 'episode', event: Number(event.eventId), expected: 'mutate', found: 'change' });
  expect(found?.sentence).toBe(`The episode episode-raced (${file}) no longer replays: event ${event.eventId}: the activity mutate, type: expected mutate, found change.`);
});

test('an empty folder and one that is none are refused', async () => {
  await expect(checkHistories(folder)).rejects.toThrow('holds no histories');
  await expect(checkHistories(join(folder, 'nowhere'))).rejects.toThrow('is no folder');
});

test('what is recorded from servers of its own replays, and names no machine', async () => {
  const wanted = ['episode-raced', 'episode-approved', 'episode-forked', 'rollback-committed'];
  const recorded = await recordHistories({ wanted, folder, signal: new AbortController().signal, say: () => undefined });
  expect(recorded.map(({ file }) => file)).toEqual(wanted.map((name) => join(folder, `${name}.json`)));
  expect(await checkHistories(folder)).toMatchObject({ histories: wanted.length, breaks: [] });
}, 120_000);
