/** Altered histories: each alteration is reported with its place and its reason, also where the SDK's replay is green. No server runs. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { eventOf, load, replay, rewrite, without, type Recorded } from './altering.ts';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));

const reminded = await load('episode-reminded');

describe('an event dropped', () => {
  test('leaving a hole: refused with its number', async () => {
    const { events } = await load('episode-committed');
    await expect(replay({ events: events.filter((_, index) => index !== 5) })).rejects.toThrow('event 6 is missing');
  });

  test.each(reminded.events.slice(1).map(({ eventId, eventType }) => [eventId, eventType.replace('EVENT_TYPE_', '')]))('numbered anew so that no hole is left: %s, %s', async (eventId) => {
    const { result, findings } = await replay(without(await load('episode-reminded'), eventId));
    expect(result).not.toBe('replays');
    expect(findings[0]?.event).toBeGreaterThan(0);
    expect(findings[0]?.sentence).toMatch(/^event \d+: .+: expected .+, found .+/);
  });

  test('the answer of an activity: the place where the history goes on without it', async () => {
    const history = await load('episode-committed');
    expect((await replay(without(history, eventOf(history, 'commit', 'completed').eventId))).why)
      .toBe("event 17: what today's code does: expected waiting for the activity commit of event 12, whose end is in no event, found the local activity finishEpisode");
  });
});

test('an activity renamed: the name that today\'s code sends', async () => {
  const history = await load('episode-committed');
  (eventOf(history, 'commit', 'scheduled')['activityTaskScheduledEventAttributes'] as { activityType: { name: string } }).activityType.name = 'commitUnguarded';
  expect(await replay(history)).toMatchObject({ result: 'fails', why: 'event 12: the activity commit, type: expected commit, found commitUnguarded' });
});

describe('an argument changed', () => {
  test('of an activity, which the SDK lets pass', async () => {
    const history = await load('episode-committed');
    rewrite(eventOf(history, 'commit', 'scheduled'), '"step":1', '"step":7');
    expect(await replay(history)).toMatchObject({ result: 'differs', why: 'event 12: the activity commit, input.step: expected 1, found 7' });
  });

  test('of the workflow: the guard of the episode that was opened is another', async () => {
    const history = await load('episode-committed');
    rewrite(history.events[0] ?? eventOf(history, 'commit', 'scheduled'), '"kind":"predicate"', '"kind":"version"');
    const { result, findings } = await replay(history);
    expect(result).toBe('differs');
    expect(findings.map(({ event }) => event)).toEqual([1, 5]);
    expect(findings[1]?.sentence).toContain('the result of openEpisode, input.guard.kind: expected "version", found "predicate"');
  });

  test('how long an activity may take', async () => {
    const history = await load('episode-committed');
    (eventOf(history, 'commit', 'scheduled')['activityTaskScheduledEventAttributes'] as { startToCloseTimeout: string }).startToCloseTimeout = '600s';
    expect(await replay(history)).toMatchObject({ result: 'differs', why: 'event 12: the activity commit, startToCloseMs: expected 60000, found 600000' });
  });
});

describe('a result changed', () => {
  test('the digest of a proposal: the decision and the commit name another, and the sentence names both events', async () => {
    const history = await load('episode-committed');
    rewrite(eventOf(history, 'propose', 'completed'), '5c5d00ee', '5c5d00ef');
    const { result, why } = await replay(history);
    expect(result).toBe('differs');
    expect(why).toMatch(/^event 12: the activity commit, input\.decision\.digest: expected "5c5d00ef.*, found "5c5d00ee.*from event 8, the result of propose: one of the two was changed/);
  });

  test.each([
    ['the op key', 'propose', '"opKey":"episode-committed:1"', '"opKey":"episode-committed:2"', /^event 8: the result of propose, opKey: expected "episode-committed:1", found "episode-committed:2"/],
    ['the proposer', 'propose', 'agent:always-act', 'agent:mallory', /^event 8: the result of propose, proposer/],
    ['the outcome of the commit', 'commit', '"ledgerId":"1"', '"ledgerId":"9"', /^event 18: the result of finishEpisode, outcome\.ledgerId: expected "9", found "1"/],
    ['the tool', 'propose', '"tool":"change_delivery_address"', '"tool":"cancel_order"', /^event 8: the result of propose, tool: expected "change_delivery_address", found "cancel_order"/],
    ['a field nobody reads', 'propose', '"tool":', '"tools":', /^event 8: the result of propose, tool/],
  ])('%s', async (...[, activity, from, to, why]) => {
    const history = await load('episode-committed');
    rewrite(eventOf(history, activity, 'completed'), from, to);
    const result = await replay(history);
    expect(result.result).not.toBe('replays');
    expect(result.findings.map(({ sentence }) => sentence)).toContainEqual(expect.stringMatching(why));
  });

  test('whether it leaked: the search attribute says otherwise', async () => {
    const history = await load('episode-committed');
    rewrite(history.events[17] ?? eventOf(history, 'commit', 'completed'), '"leaked":false', '"leaked":true');
    expect((await replay(history)).why).toBe('event 19: search attributes, values.holdpointLeaked: expected true, found false');
  });
});

describe('a fork and a rollback', () => {
  test('what a fork takes from the recorded episode is no contradiction of its input; what it never has is', async () => {
    const history = await load('episode-forked');
    const opened = history.events[4] ?? eventOf(history, 'commit', 'completed');
    rewrite(opened, '"windowMs":900000', '"windowMs":900001');
    expect((await replay(history)).findings.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(/^event 12: the activity propose, input\.windowMs: expected 900001, found 900000 \(900001 is from event 5, the result of openEpisode/)]);
    rewrite(opened, '"windowMs":900001', '"windowMs":900000');
    rewrite(opened, '"faults":false', '"faults":true');
    expect((await replay(history)).findings.map(({ sentence }) => sentence)).toContainEqual(expect.stringContaining('the result of openEpisode, input.faults: expected false, found true'));
  });

  test('the facts of a fork that was refused, which leaked nothing', async () => {
    const history = await load('episode-forked');
    const finished = history.events[23] ?? eventOf(history, 'commit', 'completed');
    rewrite(finished, '"committed":false', '"committed":true');
    expect((await replay(history)).why).toBe('event 24: the facts of the episode, judged.unsafe: expected null, found false (as the results in the same history say)');
    rewrite(finished, '"committed":true', '"committed":false');
    rewrite(finished, '"guard":"predicate"', '"guard":"none"');
    expect((await replay(history)).why).toBe('event 24: the facts of the episode, guard: expected "predicate", found "none" (as the results in the same history say)');
  });

  test('the op key of the request that a rollback holds', async () => {
    const history = await load('rollback-committed');
    const opened = history.events.find((event) => event.eventType.endsWith('MARKER_RECORDED'));
    rewrite(opened ?? eventOf(history, 'commitRollback', 'completed'), ':1:1"', ':1:2"');
    expect((await replay(history)).findings.map(({ sentence }) => sentence)).toContainEqual(expect.stringMatching(/the result of openRollback, request\.opKey: expected ".*:1:1", found ".*:1:2"/));
  });
});

test('a timer changed, which the SDK lets pass', async () => {
  const history = await load('episode-expired');
  const timer = history.events.find((event) => 'timerStartedEventAttributes' in event);
  (timer?.['timerStartedEventAttributes'] as { startToFireTimeout: string }).startToFireTimeout = '3s';
  expect(await replay(history)).toMatchObject({ result: 'differs', why: `event ${timer?.eventId ?? ''}: the timer 1, lengthMs: expected 300, found 3000 (300 is from event 5, the result of openEpisode: one of the two was changed)` });
});

describe('truncated', () => {
  test('in the middle of a file: refused', async () => {
    await expect(replay((await readFile(`${folder}episode-committed.json`, 'utf8')).slice(0, 4_000))).rejects.toThrow('is cut off');
  });

  test('after an event: reported where a workflow task has lost what it sent, else as not ended, because it may still run', async () => {
    const { events } = await load('episode-committed');
    const silent: number[] = [];
    for (let keep = 1; keep < events.length; keep += 1) {
      const { result, ended, findings } = await replay({ events: events.slice(0, keep) } satisfies Recorded);
      expect(ended).toBe(false);
      if (result === 'replays') silent.push(keep);
      else expect(findings[0]?.event).toBe(events.slice(0, keep).findLastIndex((event) => event.eventType.endsWith('WORKFLOW_TASK_COMPLETED')) + 1);
    }
    // A server writes the end of a task and what it sent at once: 4 and 5, 11, 17 to 19 are no places where a running workflow can be.
    expect(silent).toEqual([1, 2, 3, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16]);
  });
});

test('no golden history is reported', async () => {
  for (const name of await readdir(folder)) expect(await replay(await load(name.replace('.json', '')))).toMatchObject({ result: 'replays', findings: [] });
});
