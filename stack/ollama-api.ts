/** The few requests to Ollama that finding and making models takes. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { plainName, type WheelModel } from './models.ts';
import { StackError, type Model } from './types.ts';

/** The server's version. @throws where it does not answer within the time. */
export async function ollamaVersion(host: string, timeoutMs: number): Promise<string> {
  const answer = (await ask(`${host}/api/version`, { signal: AbortSignal.timeout(timeoutMs) })) as { version?: unknown };
  if (typeof answer.version !== 'string') throw new StackError(`${host} is no Ollama.`);
  return answer.version;
}

/** The models that the server has. */
export async function listModels(host: string): Promise<Model[]> {
  const answer = (await ask(`${host}/api/tags`, { signal: AbortSignal.timeout(30_000) })) as { models?: { name: string; digest: string; size: number }[] | null };
  return (answer.models ?? []).map(({ name, digest, size }) => ({ name: plainName(name), digest, sizeBytes: size }));
}

/** The template of a model the server has; undefined where it has none of this name. */
export async function templateOf(host: string, name: string): Promise<string | undefined> {
  const response = await post(`${host}/api/show`, { model: name }, AbortSignal.timeout(30_000));
  return response.ok ? ((await response.json()) as { template?: string }).template : undefined;
}

/** Makes a model from a GGUF file: hands over the weights unless the server has them, then names them. @throws StackError */
export async function createModel(host: string, model: WheelModel, options: { file: string; signal: AbortSignal | undefined }): Promise<void> {
  const digest = `sha256:${model.sha256}`;
  const blob = `${host}/api/blobs/${digest}`;
  const signal = anySignal(options.signal, 300_000);
  if (!(await fetch(blob, { method: 'HEAD', signal })).ok) {
    const body = Readable.toWeb(createReadStream(options.file));
    const response = await fetch(blob, { method: 'POST', body, duplex: 'half', signal });
    if (!response.ok) throw new StackError(`Ollama did not take the weights of ${model.name}: ${await response.text()}`);
  }
  const { name, template, stop } = model;
  const request = { model: name, files: { [`${name}.gguf`]: digest }, ...(template !== undefined && { template }), ...(stop !== undefined && { parameters: { stop } }) };
  await follow(await post(`${host}/api/create`, request, signal), () => undefined);
}

/**
 * Pulls a model from the public registry. Before the first bytes it gives up after `firstMs` of silence, then after a minute.
 * @throws StackError with Ollama's own words
 */
export async function pullModel(host: string, name: string, options: { firstMs: number; signal: AbortSignal | undefined; onProgress: (fraction: number) => void }): Promise<void> {
  const silence = new AbortController();
  const giveUp = (): void => { silence.abort(new StackError(`the model registry gave no answer within ${String(options.firstMs / 1000)} s`)); };
  let timer = setTimeout(giveUp, options.firstMs);
  try {
    const signal = options.signal === undefined ? silence.signal : AbortSignal.any([options.signal, silence.signal]);
    await follow(await post(`${host}/api/pull`, { model: name }, signal), ({ total, completed }) => {
      if (total === undefined || total === 0) return;
      clearTimeout(timer);
      timer = setTimeout(giveUp, 60_000);
      options.onProgress((completed ?? 0) / total);
    });
  } finally {
    clearTimeout(timer);
  }
}

type StatusLine = { readonly status?: string; readonly error?: string; readonly total?: number; readonly completed?: number };

/** Reads the lines of a long request. @throws StackError at a line that tells of an error */
async function follow(response: Response, onLine: (line: StatusLine) => void): Promise<void> {
  if (!response.ok || response.body === null) throw new StackError(errorIn(await response.text()));
  let rest = '';
  const handle = (text: string): void => {
    if (text.trim() === '') return;
    const line = JSON.parse(text) as StatusLine;
    if (line.error !== undefined) throw new StackError(line.error);
    onLine(line);
  };
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(handle);
  }
  handle(rest);
}

function errorIn(text: string): string {
  try {
    return (JSON.parse(text) as StatusLine).error ?? text;
  } catch {
    return text;
  }
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  if (!response.ok) throw new StackError(`${url} answered ${String(response.status)}`);
  return response.json();
}

function post(url: string, body: unknown, signal: AbortSignal): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal });
}

function anySignal(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const late = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? late : AbortSignal.any([signal, late]);
}
