/** Histories of every workflow kind, recorded from the real server, replay against today's code. No server runs. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EpisodeFacts } from '../../contract/episode-facts.ts';
import { readHistory } from '../../cli/replay/read-history.ts';
import { replayHistories } from '../../cli/replay/run.ts';
import { startCommand } from '../support/command.ts';
import { load, readable, replay } from './altering.ts';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();

test('there is a history of every kind of end', () => {
  expect(names.map((name) => name.replace('.json', ''))).toEqual([
    'batch-first-page', 'batch-last-page', 'episode-abstained', 'episode-approved', 'episode-cancelled', 'episode-committed', 'episode-cut-at-commit', 'episode-edited',
    'episode-evidence', 'episode-expired', 'episode-forked', 'episode-leaked', 'episode-raced', 'episode-rejected', 'episode-reminded', 'episode-replanned', 'episode-two-approvals', 'rollback-committed',
  ]);
});

test.each(names)('%s replays with the same contents', async (name) => {
  const [result] = await replayHistories([await readHistory(join(folder, name))]);
  expect(result).toMatchObject({ result: 'replays', why: null, ended: true });
});

test.each(names)('%s names no machine and no path', async (name) => {
  const text = await readFile(join(folder, name), 'utf8');
  const decoded = [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map((match) => Buffer.from(match[1] ?? '', 'base64').toString('utf8'));
  for (const piece of [text, ...decoded]) expect(piece).not.toMatch(/\/(work|root|home|Users|tmp|var)\/|\d+@\w|postgres:\/\//);
});

test('the history of a judged episode holds its facts as the contract has them', async () => {
  const results = (await load('episode-leaked')).events.map((event) => (event['markerRecordedEventAttributes'] as { details?: { result?: { payloads: { data: string }[] } } } | undefined)?.details?.result?.payloads[0]?.data ?? '');
  const facts = EpisodeFacts.parse((JSON.parse(Buffer.from(results.filter((data) => data !== '').at(-1) ?? '', 'base64').toString('utf8')) as { facts?: unknown }).facts);
  expect(facts).toMatchObject({ episodeId: 'episode-leaked', guard: 'none', steps: [{ outcome: 'committed', clauses: { status: false } }], judged: { unsafe: true, failedClauses: ['status'] } });
});

test('twenty replays of one history are the same, and a hundred queries left no trace in it', async () => {
  const read = await readHistory(join(folder, 'episode-approved.json'));
  const results = await replayHistories(Array.from({ length: 20 }, () => read));
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  expect(read.events).toBeLessThan(60);
});

describe('other forms of a file', () => {
  test('payloads that the UI has decoded are read', async () => {
    expect(await replay(readable(await load('episode-approved')))).toMatchObject({ result: 'replays', workflowId: 'episode-approved' });
  });

  test('an episode that is still running replays as far as it is', async () => {
    const history = await load('episode-approved');
    const accepted = history.events.findIndex((event) => event.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED');
    const upTo = history.events.slice(0, accepted).findLastIndex((event) => event.eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED' || event.eventType === 'EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES' || event.eventType === 'EVENT_TYPE_TIMER_STARTED');
    expect(await replay({ events: history.events.slice(0, upTo + 1) })).toMatchObject({ result: 'replays', ended: false });
  });

  test('a torn one among many takes nothing from the others, and one that has only begun lets the command end', async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'holdpoint-replay-'));
    const [begun, torn] = [join(scratch, 'begun.json'), join(scratch, 'torn.json')];
    await writeFile(begun, JSON.stringify({ events: (await load('episode-committed')).events.slice(0, 1) }));
    await writeFile(torn, '{"events": [');
    const alone = await startCommand(['replay', begun], {}).end;
    expect([alone.code, alone.stdout]).toEqual([0, expect.stringContaining('cut off after event 1')]);
    const many = await startCommand(['replay', torn, join(folder, 'episode-committed.json')], {}).end;
    expect([many.code, many.stdout]).toEqual([1, expect.stringMatching(/torn\.json is cut off[\s\S]*episode-committed\.json: episode episode-committed, \d+ events: replays/)]);
    await rm(scratch, { recursive: true });
  });

  test('an event that stands there twice, or in another\'s place, is called so', async () => {
    const { events } = await load('episode-committed');
    await expect(replay({ events: [...events.slice(0, 5), ...events.slice(4)] })).rejects.toThrow('event 5 stands there twice');
    await expect(replay({ events: [...events.slice(0, 4), ...events.slice(5, 6), ...events.slice(4, 5), ...events.slice(6)] })).rejects.toThrow('event 6 stands in the place of event 5');
  });

  test.each([
    ['cut in half', async () => (await readFile(join(folder, 'episode-committed.json'), 'utf8')).slice(0, 4_000), /is cut off/],
    ['no JSON', () => Promise.resolve('episode'), /is not JSON/],
    ['another document', () => Promise.resolve('{"approvals":[]}'), /no workflow's history/],
    ['without its beginning', async () => JSON.stringify({ events: (await load('episode-committed')).events.slice(3) }), /beginning is missing/],
    ['with a hole', async () => JSON.stringify({ events: (await load('episode-committed')).events.filter((_, index) => index !== 5) }), /event 6 is missing/],
    ['with an event of no known kind', () => Promise.resolve('{"events":[{"eventId":"1","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED"}]}'), /not a history in a form/],
  ])('%s: refused in one sentence', async (_, content, message) => {
    await expect(replay(await content())).rejects.toThrow(message);
  });
});
