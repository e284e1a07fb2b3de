/** Frozen replies on a real Postgres: a question is asked once across workers, retries and deaths, and every later answer is the same text. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { frozenReply, replyDigestOf, type FrozenDeps, type FrozenReply } from '../../activities/model/frozen-replies.ts';
import { ModelRequestError, modelOptions, type ModelIdentity, type Question, type TimedReply } from '../../activities/model/model-request.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(async () => {
  await db.close();
});

let beats = 0;
let nonce = 0;
beforeEach(() => {
  beats = 0;
  nonce += 1;
});

const modelDigest = 'a'.repeat(64);
const questionOf = (seed = 1): Question => ({ model: 'tiny', messages: [{ role: 'user', content: `question ${String(nonce)}` }], format: { type: 'integer' }, options: modelOptions(seed) });
const replyOf = (content: string): TimedReply & ModelIdentity => ({ content, thinking: '', doneReason: 'stop', timing: { totalMs: 1, loadMs: 0, promptTokens: 1, replyTokens: 1 }, modelDigest, serverVersion: '0.6.5' });
const deps = (more: Partial<FrozenDeps> = {}): FrozenDeps => ({ pool: db.pool, signal: new AbortController().signal, heartbeat: () => { beats += 1; }, ...more });
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const leases = async (): Promise<number> => (await db.owner.query('select from holdpoint.reply_leases')).rowCount ?? 0;

test('thirty at once ask once, and all get the same reply', async () => {
  const key = { modelDigest, question: questionOf() };
  let asks = 0;
  const ask = async (): Promise<TimedReply & ModelIdentity> => {
    asks += 1;
    await wait(300);
    return replyOf(`reply ${String(asks)}`);
  };
  const replies = await Promise.all(Array.from({ length: 30 }, () => frozenReply(deps(), key, ask)));
  expect(asks).toBe(1);
  expect(new Set(replies.map((reply) => reply.content))).toEqual(new Set(['reply 1']));
  expect(replies.filter((reply) => reply.asked)).toHaveLength(1);
  expect(beats).toBeGreaterThan(30);
  expect(await frozenReply(deps(), key, ask)).toMatchObject({ content: 'reply 1', asked: false });
  expect(asks).toBe(1);
  expect(await leases()).toBe(0);
});

test('whatever decides the reply is in its digest, and nothing else', () => {
  const question = questionOf();
  const one = replyDigestOf(modelDigest, question);
  expect(replyDigestOf(modelDigest, { ...question, model: 'another name' })).toBe(one);
  for (const other of [questionOf(2), { ...question, messages: [{ role: 'user' as const, content: 'other' }] }, { ...question, format: { type: 'string' as const, enum: ['a'] } }, { ...question, options: modelOptions(1, 256) }])
    expect(replyDigestOf(modelDigest, other)).not.toBe(one);
  expect(replyDigestOf('b'.repeat(64), question)).not.toBe(one);
});

test.each([['a NUL', 'a\0b'], ['half a surrogate pair', 'x\ud800'], ['its own mark', 'escaped:x'], ['nothing', ''], ['a megabyte', 'é'.repeat(500_000)]])('a text with %s comes back unit for unit, and is the same for the one who asked', async (_, content) => {
  const key = { modelDigest, question: questionOf() };
  const ask = (): Promise<TimedReply & ModelIdentity> => Promise.resolve({ ...replyOf(content), thinking: content });
  const [first, second] = [await frozenReply(deps(), key, ask), await frozenReply(deps(), key, ask)];
  expect([first.content, first.thinking, second.content, second.thinking]).toEqual([content, content, content, content]);
});

test('a killed asker blocks the others only until its lease has run out', async () => {
  const key = { modelDigest, question: questionOf() };
  await db.pool.query(`insert into holdpoint.reply_leases (reply_digest, holder, until) values ($1, 'killed', clock_timestamp() + interval '600 ms')`, [replyDigestOf(modelDigest, key.question)]);
  const startedMs = performance.now();
  expect(await frozenReply(deps(), key, () => Promise.resolve(replyOf('at last')))).toMatchObject({ content: 'at last', asked: true });
  expect(performance.now() - startedMs).toBeGreaterThan(400);
});

test('a living asker keeps its lease however long it takes', async () => {
  const key = { modelDigest, question: questionOf() };
  let asks = 0;
  const ask = async (): Promise<TimedReply & ModelIdentity> => {
    asks += 1;
    await wait(2_500);
    return replyOf('slow');
  };
  const short = deps({ leaseMs: 900 });
  await Promise.all([frozenReply(short, key, ask), frozenReply(short, key, ask)]);
  expect(asks).toBe(1);
});

test('an asker that lost its lease stops asking and takes the other one\'s reply', async () => {
  const key = { modelDigest, question: questionOf() };
  const digest = replyDigestOf(modelDigest, key.question);
  let stopped = false;
  const asking = frozenReply(deps({ leaseMs: 300 }), key, async (signal): Promise<TimedReply & ModelIdentity> => {
    await new Promise((_, reject) => { signal.addEventListener('abort', () => { stopped = true; reject(signal.reason as Error); }); });
    return replyOf('never');
  });
  await expect.poll(leases).toBe(1);
  await db.owner.query(`update holdpoint.reply_leases set holder = 'thief', until = clock_timestamp() + interval '1 hour' where reply_digest = $1`, [digest]);
  await expect.poll(() => stopped).toBe(true);
  await db.owner.query(`insert into holdpoint.replies (reply_digest, model, model_digest, server_version, prompt, options, raw, done_reason, timing) values ($1, 'tiny', $2, '', '', '{}', 'theirs', 'stop', '{}')`, [digest, modelDigest]);
  expect(await asking).toMatchObject({ content: 'theirs', asked: false });
  await db.owner.query('delete from holdpoint.reply_leases');
});

test('a failed request stores nothing and gives the lease back, so that a retry asks at once', async () => {
  const key = { modelDigest, question: questionOf() };
  await expect(frozenReply(deps(), key, () => Promise.reject(new ModelRequestError('model_busy', 'busy')))).rejects.toMatchObject({ reason: 'model_busy' });
  expect(await leases()).toBe(0);
  expect(await frozenReply(deps(), key, () => Promise.resolve(replyOf('then')))).toMatchObject({ content: 'then' });
});

test('cancelled while waiting for another asker, it ends at once with the reason', async () => {
  const key = { modelDigest, question: questionOf() };
  await db.pool.query(`insert into holdpoint.reply_leases (reply_digest, holder, until) values ($1, 'other', clock_timestamp() + interval '1 hour')`, [replyDigestOf(modelDigest, key.question)]);
  const cancel = new AbortController();
  const waiting: Promise<FrozenReply> = frozenReply(deps({ signal: cancel.signal }), key, () => Promise.resolve(replyOf('never')));
  setTimeout(() => { cancel.abort(new Error('cancelled')); }, 300);
  await expect(waiting).rejects.toThrow('cancelled');
  await db.owner.query('delete from holdpoint.reply_leases');
});
