/** A stub of the Ollama server for tests: it answers as it is told and counts what it was asked. It stands in for the server, never for a model's quality. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How one chat request is answered. */
export type StubChat = (response: ServerResponse, body: Record<string, unknown>) => void;

export type OllamaStub = {
  readonly host: string;
  /** Bodies of all chat requests so far. */
  readonly chats: Record<string, unknown>[];
  /** Models that were asked to leave the memory, in order, each with the number of chat requests before it. */
  readonly unloads: { readonly model: string; readonly after: number }[];
  /** Most chat requests at one time. */
  maxAtOnce(): number;
  /** Chat requests whose connection is open and unanswered. */
  open(): number;
  /** All sockets, those kept alive included. */
  sockets(): Promise<number>;
  close(): Promise<void>;
};

/** Digest that the stub gives to every model it has, where nothing else is asked for. */
export const stubDigest = 'd'.repeat(64);

/** Starts a stub that has the models named, `chat` answers each chat request, by its number from 0. */
export async function startOllamaStub(models: readonly string[], chat: (index: number) => StubChat, digestOf: (model: string) => string = () => stubDigest): Promise<OllamaStub> {
  const chats: Record<string, unknown>[] = [];
  const unloads: { model: string; after: number }[] = [];
  let open = 0;
  let maxAtOnce = 0;
  const server = createServer((request, response) => {
    if (request.url === '/api/version') return void response.end(JSON.stringify({ version: '0.0.0-stub' }));
    if (request.url === '/api/tags') return void response.end(JSON.stringify({ models: models.map((name) => ({ name: `${name}:latest`, digest: digestOf(name) })) }));
    if (request.url === '/api/generate') return void bodyOf(request).then(({ model }) => {
      unloads.push({ model: String(model), after: chats.length });
      response.end(JSON.stringify({ done: true, done_reason: 'unload' }));
    });
    open += 1;
    maxAtOnce = Math.max(maxAtOnce, open);
    response.on('close', () => { open -= 1; });
    void bodyOf(request).then((body) => {
      chats.push(body);
      chat(chats.length - 1)(response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    chats,
    unloads,
    maxAtOnce: () => maxAtOnce,
    open: () => open,
    sockets: () => new Promise((resolve, reject) => { server.getConnections((error, count) => { if (error) reject(error); else resolve(count); }); }),
    close: () => new Promise((resolve) => { server.close(() => { resolve(); }); server.closeAllConnections(); }),
  };
}

/** A complete streamed reply. */
export function says(content: string, { thinking = '', doneReason = 'stop' } = {}): StubChat {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify({ message: { role: 'assistant', content, thinking }, done: false })}\n`);
    response.end(`${JSON.stringify({ message: { role: 'assistant', content: '' }, done: true, done_reason: doneReason, total_duration: 5e6, load_duration: 1e6, prompt_eval_count: 7, eval_count: 3 })}\n`);
  };
}

/** An error answer. */
export function fails(status: number, error: string): StubChat {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error }));
  };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return JSON.parse(text) as Record<string, unknown>;
}
