/** Proposing from prompt to parsed reply, over a stub of the server and a real Postgres: one changed question at most, both replies frozen. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { alwaysAct } from '../../activities/model/always-act.ts';
import { proposeFor, type ProposeRequest } from '../../activities/model/propose.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import { seedWorld, observeWorld } from '../../database/worlds.ts';
import { toolContract } from '../../guards/tools/index.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { planOf } from '../../scenarios/plan.ts';
import { fails, says, startOllamaStub, stubDigest, type OllamaStub, type StubChat } from '../support/ollama-stub.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
let stub: OllamaStub | undefined;
let answers: StubChat[] = [];
let seed = 100;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(async () => {
  await db.close();
});
beforeEach(async () => {
  seed += 10;
  stub = await startOllamaStub(['tiny'], (index) => answers[index] ?? fails(500, 'the test has no further answer'));
});
afterEach(async () => {
  await stub?.close();
});

const plan = planOf('record-invoice/0/clean');
const good = JSON.stringify({ decision: 'act', tool: plan.tool, arguments: plan.arguments, confidence: 0.75 });

async function requestFor(): Promise<ProposeRequest> {
  const worldId = await seedWorld(db.pool, 'propose', plan.seed);
  const observation = await observeWorld(db.pool, { worldId, contract: toolContract(plan.tool) as ToolContract, keys: plan.keys, telemetry: plan.telemetry });
  return { model: 'tiny', seed, tool: plan.tool, instruction: plan.instruction, observation };
}

async function propose(said: StubChat[], more: Partial<ProposeRequest> = {}): Promise<Proposed> {
  answers = said;
  return proposeFor({ pool: db.pool, ollamaHost: stub?.host ?? '', heartbeat: () => undefined, signal: new AbortController().signal }, { ...(await requestFor()), ...more });
}

test('a good reply is an act, asked once, and the same question in another world is answered without asking', async () => {
  const first = await propose([says(good)]);
  expect(first).toMatchObject({ kind: 'act', reply: JSON.parse(good) as object, asked: true, attempts: [{ reason: null, asked: true }] });
  const again = await propose([]);
  expect(again).toMatchObject({ kind: 'act', asked: false, replyDigest: first.replyDigest });
  expect(stub?.chats).toHaveLength(1);
});

test('an abstention is an answer, not a failure', async () => {
  expect(await propose([says('{"decision":"abstain","tool":"none","arguments":{},"confidence":0.4}')])).toMatchObject({ kind: 'abstain', reply: { decision: 'abstain', confidence: 0.4 } });
});

test('a cut reply is asked again once, with a larger budget, even where it was valid', async () => {
  expect(await propose([says(good, { doneReason: 'length' }), says(good)])).toMatchObject({ kind: 'act', attempts: [{ reason: 'model_truncated' }, { reason: null }] });
  const [first, second] = (stub?.chats ?? []) as { options: { num_predict: number; seed: number }; messages: unknown[] }[];
  expect(second?.options).toEqual({ ...first?.options, num_predict: 256 });
  expect(second?.messages).toEqual(first?.messages);
});

test.each([
  ['empty_content', says('', { thinking: good })],
  ['not_json', says(`\`\`\`json\n${good}\n\`\`\``)],
  ['duplicate_key', says(good.replace('{', '{"decision":"abstain",'))],
  ['schema_violation', says(good.replace('"confidence"', '"note":1,"confidence"'))],
  ['confidence_out_of_scale', says(good.replace('0.75', '85'))],
  ['unknown_tool', says(good.replace('record_invoice', 'pay_invoice'))],
  ['unread_entity', says(good.replace('po-7731', 'po-7732'))],
  ['model_truncated', says(good.slice(0, 60), { doneReason: 'length' })],
] as const)('a reply that is wrong twice has failed with %s, after two different questions', async (reason, chat) => {
  const proposed = await propose([chat, chat]);
  expect(proposed).toMatchObject({ kind: 'failed', reason });
  expect(proposed.attempts.map((attempt) => attempt.reason)).toEqual([reason, reason]);
  expect(new Set(proposed.attempts.map((attempt) => attempt.replyDigest)).size).toBe(2);
  expect(stub?.chats).toHaveLength(2);
  expect(stub?.chats[0]).not.toEqual(stub?.chats[1]);
  // Both wrong replies are frozen: the same request fails the same way without asking.
  expect(await propose([])).toMatchObject({ kind: 'failed', reason, asked: false });
  expect(stub?.chats).toHaveLength(2);
});

test('a busy server is thrown for the retry that Temporal makes, and nothing is frozen', async () => {
  for (let attempt = 0; attempt < 3; attempt += 1) await expect(propose([fails(503, 'busy'), fails(503, 'busy'), fails(503, 'busy'), says(good)])).rejects.toMatchObject({ reason: 'model_busy', retryable: true });
  expect(await propose([fails(503, ''), fails(503, ''), fails(503, ''), says(good)])).toMatchObject({ kind: 'act', asked: true });
  expect(stub?.chats).toHaveLength(4);
});

test('a missing model is not retryable, and is not asked', async () => {
  await expect(propose([], { model: 'huge' })).rejects.toMatchObject({ reason: 'model_missing', retryable: false });
  expect(stub?.chats).toHaveLength(0);
});

test('with a pinned digest frozen replies need no server, and another model of that name is not asked', async () => {
  await propose([says(good)]);
  await stub?.close();
  expect(await propose([], { modelDigest: stubDigest })).toMatchObject({ kind: 'act', asked: false });
  stub = await startOllamaStub(['tiny'], () => says(good));
  await expect(propose([], { modelDigest: 'e'.repeat(64) })).rejects.toMatchObject({ reason: 'model_missing' });
  expect(stub.chats).toHaveLength(0);
});

test('a prompt holds no world, version, epoch or clock: two worlds have one question', async () => {
  await propose([says(good)]);
  const { rows } = await db.pool.query<{ prompt: string; n: string }>('select prompt, count(*) over () as n from holdpoint.replies order by asked_at desc limit 1');
  expect(rows[0]?.prompt).not.toMatch(/version|epoch|world|202\d-/i);
});

test('a blocked proposal is asked about anew: the reason is part of the question', async () => {
  const first = await propose([says(good)]);
  const second = await propose([says(good), says('{"decision":"abstain"}')], { notice: { kind: 'blocked', reason: 'read_set_stale', found: 'x' } });
  expect(second).toMatchObject({ kind: 'abstain', asked: true });
  expect(second.replyDigest).not.toBe(first.replyDigest);
});

test('always-act proposes the template\'s mutation and asks nobody', () => {
  expect(alwaysAct(plan)).toMatchObject({ kind: 'act', reply: { decision: 'act', tool: plan.tool, arguments: plan.arguments }, asked: false, attempts: [] });
});
