/** Getting models, against a small stand-in for Ollama: what is pulled, what fails, and what is remembered of it. */
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { installModels } from '../../stack/models-install.ts';
import { pullModel } from '../../stack/ollama-api.ts';
import type { StackLine } from '../../stack/stack.ts';

type Answer = (request: { model: string }, response: ServerResponse) => void;

let server: Server;
let host: string;
let dir: string;
let pulled: string[];
let have: string[];
let onPull: Answer;
let lines: StackLine[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stack-models-'));
  vi.stubEnv('HOLDPOINT_CACHE_DIR', dir);
  vi.stubEnv('HOLDPOINT_MODELS', undefined);
  [pulled, have, lines] = [[], [], []];
  onPull = ({ model }, response) => {
    have.push(model);
    response.end('{"status":"pulling","total":10,"completed":5}\n{"status":"pulling","total":10,"completed":10}\n{"status":"success"}');
  };
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.url === '/api/tags') {
    response.end(JSON.stringify({ models: have.map((name) => ({ name, digest: `digest of ${name}`, size: 1 })) }));
    return;
  }
  const body = JSON.parse(text) as { model: string };
  pulled.push(body.model);
  onPull(body, response);
}

const install = (models: readonly string[] | undefined, version = '0.12.0'): ReturnType<typeof installModels> =>
  installModels({ host, version }, { parts: ['ollama'], stateDir: dir, say: (line) => lines.push(line), ...(models && { models }) });

test('a wanted model is pulled with its progress said, and not pulled again', async () => {
  expect(await install(['llama3.2:3b'])).toEqual({ models: [{ name: 'llama3.2:3b', digest: 'digest of llama3.2:3b', sizeBytes: 1 }], unavailable: [] });
  expect(lines.map((line) => line.fraction)).toContain(0.5);
  await install(['llama3.2:3b']);
  expect(pulled).toEqual(['llama3.2:3b']);
});

test('without wishes the registry defaults are had, apart from those that this Ollama cannot load', async () => {
  const found = await install(undefined, '0.6.5');
  expect(found.models.map((model) => model.name)).toEqual(['phi4-mini', 'gemma3:4b', 'llama3.2:3b']);
  expect(found.unavailable).toEqual([{ name: 'qwen3:4b', why: expect.stringContaining('needs Ollama 0.6.6') as string }]);
});

test('an unreachable registry is asked once, then remembered', async () => {
  onPull = (_, response) => response.end('{"status":"pulling manifest"}\n{"error":"pull model manifest: dial tcp: lookup r: no such host"}');
  const found = await install(['phi4-mini', 'llama3.2:3b']);
  expect(found.unavailable.map((model) => model.name)).toEqual(['phi4-mini', 'llama3.2:3b']);
  expect(found.unavailable[1]?.why).toMatch(/could not be reached \(no such host\)/);
  await install(['phi4-mini']);
  expect(pulled).toEqual(['phi4-mini']);
  expect(await readdir(dir)).toContain('model-registry.json');
  expect(lines.filter((line) => line.text.startsWith('without phi4-mini, llama3.2:3b'))).toHaveLength(1);
});

test('a model that the registry does not have does not speak against the others', async () => {
  const good = onPull;
  onPull = (request, response) => {
    if (request.model === 'unheard-of') response.end('{"error":"pull model manifest: file does not exist"}');
    else good(request, response);
  };
  const found = await install(['unheard-of', 'phi4-mini']);
  expect(found.models.map((model) => model.name)).toEqual(['phi4-mini']);
  expect(found.unavailable).toEqual([{ name: 'unheard-of', why: 'pull model manifest: file does not exist' }]);
});

test('a registry that says nothing is given up after the time, and one that goes on is not', async () => {
  onPull = (_, response) => response.write('{"status":"pulling manifest"}\n');
  const options = { signal: undefined, onProgress: () => undefined };
  await expect(pullModel(host, 'silent', { ...options, firstMs: 100 })).rejects.toThrow(/no answer within 0.1 s/);
});

test('a pull ends by the signal', async () => {
  const abort = new AbortController();
  onPull = () => { abort.abort(new Error('no longer wanted')); };
  await expect(pullModel(host, 'x', { signal: abort.signal, firstMs: 60_000, onProgress: () => undefined })).rejects.toThrow('no longer wanted');
});
