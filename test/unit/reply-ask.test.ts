/** Asking over a stub of the server: every transport trouble has its reason within its limit, and leaves no request open. */
import { afterEach, expect, test } from 'vitest';
import { askModel, identifyModel, type AskLimits } from '../../activities/model/ask.ts';
import { ModelRequestError, modelOptions } from '../../activities/model/model-request.ts';
import { keepAliveFor, questionsPerLoad } from '../../activities/model/residency.ts';
import { startOllamaStub, fails, says, stubDigest, type OllamaStub, type StubChat } from '../support/ollama-stub.ts';

let stub: OllamaStub | undefined;
afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

const question = { model: 'tiny', messages: [{ role: 'user' as const, content: 'hello' }], format: { type: 'integer' as const }, options: modelOptions(13) };
const never = new AbortController().signal;

async function ask(chat: StubChat, limits: Partial<AskLimits> = {}, signal = never): ReturnType<typeof askModel> {
  stub = await startOllamaStub(['tiny'], () => chat);
  return askModel({ ollamaHost: stub.host, signal, limits: { firstPieceMs: 2_000, ...limits } }, question);
}

async function failure(chat: StubChat, limits: Partial<AskLimits> = {}): Promise<ModelRequestError> {
  const error: unknown = await ask(chat, limits).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelRequestError);
  await allClosed();
  expect(stub?.chats).toHaveLength(1); // nothing here retries: Temporal does
  return error as ModelRequestError;
}

/** The server has seen every chat request end. */
async function allClosed(): Promise<void> {
  await expect.poll(() => stub?.open(), { timeout: 2_000 }).toBe(0);
}

const head: StubChat = (response) => { response.writeHead(200, { 'content-type': 'application/x-ndjson' }); };
const piece = (content: string): string => `${JSON.stringify({ message: { role: 'assistant', content }, done: false })}\n`;

test('a reply comes back raw, with its thinking, reason and timing, and every option was sent', async () => {
  const reply = await ask(says('{"a":1}', { thinking: 'hm', doneReason: 'length' }));
  expect(reply).toEqual({ content: '{"a":1}', thinking: 'hm', doneReason: 'length', timing: { totalMs: 5, loadMs: 1, promptTokens: 7, replyTokens: 3 } });
  expect(stub?.chats[0]).toMatchObject({
    model: 'tiny', stream: true, think: false, keep_alive: '30m', format: { type: 'integer' },
    options: { temperature: 0.6, top_p: 0.9, num_ctx: 4096, num_predict: 128, num_thread: 1, seed: 13 },
  });
  for (const option of ['seed', 'temperature']) expect(stub?.chats[0]).not.toHaveProperty(option); // beside `options` the server would ignore it
});

test('a model is let go once in so many questions, and only then, because a server may keep something of every reply', () => {
  const kept = Array.from({ length: 2 * questionsPerLoad }, () => keepAliveFor('http://127.0.0.1:1', 'tiny'));
  expect(kept.flatMap((value, index) => (value === 0 ? [index + 1] : []))).toEqual([questionsPerLoad, 2 * questionsPerLoad]);
  expect(keepAliveFor('http://127.0.0.1:1', 'another')).toBe('30m');
});

test('404 is a missing model by name, and not retryable', async () => {
  const error = await failure(fails(404, 'model "tiny" not found'));
  expect(error).toMatchObject({ reason: 'model_missing', retryable: false });
  expect(error.message).toContain('"tiny"');
});

test.each([[503, 'model_busy', true], [429, 'model_busy', true], [500, 'model_error', true], [400, 'malformed_input', false]] as const)('%i is %s', async (status, reason, retryable) => {
  expect(await failure(fails(status, 'no'))).toMatchObject({ reason, retryable });
});

test('an error inside the stream is the server\'s', async () => {
  expect(await failure((response, body) => { head(response, body); response.end('{"error":"runner died"}\n'); })).toMatchObject({ reason: 'model_error' });
});

test('a server that never answers is given up after the limit for the first piece', async () => {
  expect(await failure(() => undefined, { firstPieceMs: 200 })).toMatchObject({ reason: 'model_timeout', retryable: true });
});

test('headers and then nothing are given up after the same limit', async () => {
  expect(await failure((response, body) => { head(response, body); response.flushHeaders(); }, { firstPieceMs: 200 })).toMatchObject({ reason: 'model_timeout' });
});

test('a stall between pieces is given up after its own limit', async () => {
  expect(await failure((response, body) => { head(response, body); response.write(piece('{')); }, { betweenPiecesMs: 200 })).toMatchObject({ reason: 'model_timeout' });
});

test('a reply that goes on and on is given up after the total limit', async () => {
  const drip: StubChat = (response, body) => {
    head(response, body);
    const timer = setInterval(() => response.write(piece('x')), 20);
    response.on('close', () => { clearInterval(timer); });
  };
  expect(await failure(drip, { totalMs: 300 })).toMatchObject({ reason: 'model_timeout' });
});

test('endless white space is cut, and what is cut counts as truncated', async () => {
  const reply = await ask((response, body) => {
    head(response, body);
    const timer = setInterval(() => response.write(piece(' \n\t '.repeat(10))), 5);
    response.on('close', () => { clearInterval(timer); });
  });
  expect(reply.doneReason).toBe('cut');
  expect(reply.content.length).toBeLessThan(1_000);
  await allClosed();
});

test('a reply without end is cut at the bound', async () => {
  const reply = await ask((response, body) => { head(response, body); for (let i = 0; i < 100; i += 1) response.write(piece('x'.repeat(100))); }, { maxCharacters: 500 });
  expect(reply.doneReason).toBe('cut');
  await allClosed();
});

test('a connection reset half way is unreachable', async () => {
  expect(await failure((response, body) => { head(response, body); response.write(piece('{'), () => { response.socket?.resetAndDestroy(); }); })).toMatchObject({ reason: 'model_unreachable', retryable: true });
});

test('a stream that ends without its last line is unreachable', async () => {
  expect(await failure((response, body) => { head(response, body); response.end(piece('{"decision"')); })).toMatchObject({ reason: 'model_unreachable' });
});

test('a port where nobody listens is unreachable', async () => {
  stub = await startOllamaStub([], () => says(''));
  await stub.close();
  await expect(askModel({ ollamaHost: stub.host, signal: never }, question)).rejects.toMatchObject({ reason: 'model_unreachable', retryable: true });
});

test('an abort ends the request at the server at once, and the caller gets the abort\'s own reason', async () => {
  const cancel = new AbortController();
  const reason = new Error('cancelled by a person');
  const asking = ask(() => { setTimeout(() => { cancel.abort(reason); }, 50); }, {}, cancel.signal);
  await expect(asking).rejects.toBe(reason);
  await allClosed();
  await expect(askModel({ ollamaHost: stub?.host ?? '', signal: cancel.signal }, question)).rejects.toBe(reason);
  expect(stub?.chats).toHaveLength(1);
});

// Node's fetch puts an idle connection in place of the one that it broke off, and closes it after four seconds.
test('given-up requests leave no socket', async () => {
  await failure(() => undefined, { firstPieceMs: 100 });
  await expect.poll(() => stub?.sockets(), { timeout: 10_000 }).toBe(0);
});

test('a model is known by its digest, and a missing one by its name', async () => {
  stub = await startOllamaStub(['tiny'], () => says(''));
  expect(await identifyModel({ ollamaHost: stub.host, signal: never }, 'tiny')).toEqual({ modelDigest: stubDigest, serverVersion: '0.0.0-stub' });
  expect(await identifyModel({ ollamaHost: stub.host, signal: never }, 'tiny:latest')).toMatchObject({ modelDigest: stubDigest });
  await expect(identifyModel({ ollamaHost: stub.host, signal: never }, 'huge')).rejects.toMatchObject({ reason: 'model_missing', retryable: false });
});
