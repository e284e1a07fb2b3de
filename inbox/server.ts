/** The inbox: a page and its API on the loopback, for people who decide. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageFiles } from './http/files.ts';
import { originProblem } from './http/origin.ts';
import { refusal, send, type Answer } from './http/answers.ts';
import { BodyError } from './http/read.ts';
import { answerApi, type Routing } from './routes.ts';
import { createSessions } from './sessions.ts';
import type { InboxParts } from './types.ts';

export type { InboxParts } from './types.ts';

/** A server that runs. `url`: where people open it. */
export type RunningInbox = { readonly url: string; close(): Promise<void> };

/** Where it listens. `fallback`: whether another port will do where this one is taken. 0: any. `onError`: hears of what is broken, in one sentence. `requestMs`: how long a request may take to arrive, in milliseconds; default 10,000. */
export type Listening = { readonly port: number; readonly fallback: boolean; readonly onError: (sentence: string) => void; readonly requestMs?: number };

const loopback = '127.0.0.1';

/** Listens on the loopback only. @throws Error with the code EADDRINUSE where the port is taken and no other will do */
export async function serveInbox(parts: InboxParts, { port, fallback, onError, requestMs = 10_000 }: Listening): Promise<RunningInbox> {
  const files = await pageFiles();
  const sessions = createSessions();
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: Math.min(1_000, requestMs) });
  const bound = await listen(server, port).catch((error: unknown) => {
    if (fallback && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return listen(server, 0);
    throw error;
  });
  const site: Site = {
    files, hosts: [`${loopback}:${String(bound)}`, `localhost:${String(bound)}`],
    routing: { parts, sessions, previews: new Map(), cookie: `holdpoint_inbox_${String(bound)}` },
  };
  // Nobody is let in between: no connection is taken up before this turn of the event loop ends.
  server.on('request', (request, response) => {
    answer(request, site).catch((error: unknown) => {
      if (error instanceof BodyError) return refusal(error.status, error.message, 'malformed_decision');
      onError(`inbox: ${error instanceof Error ? error.message : String(error)}`);
      return refusal(500, 'Something is broken: see what the server says.');
    }).then((given) => { send(request, response, given); }).catch(() => response.destroy());
  });
  return {
    url: `http://${loopback}:${String(bound)}/`,
    close: () => new Promise((resolve) => {
      server.close(() => { resolve(); });
      server.closeAllConnections();
    }),
  };
}

type Site = { readonly files: ReadonlyMap<string, Answer>; readonly routing: Routing; readonly hosts: readonly string[] };

async function answer(request: IncomingMessage, { files, routing, hosts }: Site): Promise<Answer> {
  const address = request.url ?? '/';
  if (!URL.canParse(address, 'http://inbox')) return refusal(404, 'There is nothing at this address.');
  const url = new URL(address, 'http://inbox');
  const isApi = url.pathname.startsWith('/api/');
  const problem = originProblem(request, { hosts, isApi });
  if (problem !== null) return refusal(403, problem);
  if (isApi) return answerApi(routing, request, url);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'There is nothing to change here.');
  return files.get(url.pathname) ?? refusal(404, 'There is nothing at this address.');
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopback, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
