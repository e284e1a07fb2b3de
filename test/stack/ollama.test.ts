/** A real Ollama with the real cache, so that it is built and its models are got once a machine. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accepts } from '../../stack/ports.ts';
import { postgresDir, removeState, startStack, stopRecorded, type Stack } from '../../stack/stack.ts';

const timeoutMs = 1_200_000;
let stateDir: string;

beforeEach(async () => {
  for (const name of ['OLLAMA_HOST', 'HOLDPOINT_MODELS']) vi.stubEnv(name, undefined);
  stateDir = await mkdtemp(join(tmpdir(), 'stack-ollama-'));
});

afterEach(async () => {
  await stopRecorded(stateDir);
  await removeState(stateDir, postgresDir(stateDir));
  vi.unstubAllEnvs();
}, timeoutMs);

const start = (): Promise<Stack> => startStack({ parts: ['ollama'], stateDir, models: ['smollm2-135m', 'gemma3-270m'], say: () => undefined });

async function chat(host: string, model: string): Promise<string> {
  const options = { num_thread: 1, seed: 1, temperature: 0, num_predict: 40 };
  const format = { type: 'object', properties: { colour: { enum: ['red', 'blue'] } }, required: ['colour'] };
  const body = JSON.stringify({ model, stream: false, format, options, messages: [{ role: 'user', content: 'Name a colour as JSON.' }] });
  const answer = (await (await fetch(`${host}/api/chat`, { method: 'POST', body })).json()) as { message: { content: string } };
  return answer.message.content;
}

test('the models from wheels answer in the asked form, a second start finds them, and stopping ends the runners', async () => {
  const first = await start();
  const host = first.ollama?.host ?? '';
  expect(first.ollama?.unavailable).toEqual([]);
  expect(first.ollama?.models.map((model) => model.name).sort()).toEqual(['gemma3-270m', 'smollm2-135m']);
  for (const model of ['smollm2-135m', 'gemma3-270m']) expect(['red', 'blue']).toContain((JSON.parse(await chat(host, model)) as { colour: string }).colour);
  const second = await start();
  expect(second.ollama).toEqual({ ...first.ollama, startedByUs: false });
  await second.stop();
  await first.stop();
  expect(await accepts('127.0.0.1', Number(new URL(host).port), 1_000)).toBe(false);
}, timeoutMs);

test('an address that does not answer is one sentence', async () => {
  vi.stubEnv('OLLAMA_HOST', '127.0.0.1:1');
  await expect(start()).rejects.toThrow(/^OLLAMA_HOST is .* no Ollama answers there: .* unset OLLAMA_HOST/);
});
