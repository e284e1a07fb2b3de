/** What the page can ask for, and what it gets: signing in and out, the list, one request, a decision, one episode's history. */
import type { IncomingMessage } from 'node:http';
import { storable } from '../database/storable.ts';
import { tokenHash } from '../database/tokens.ts';
import { waitingRequests } from '../database/waiting.ts';
import { bearerOf, type Bearer } from './bearer.ts';
import { detailOf, type PreviewCache } from './detail.ts';
import { json, refusal, type Answer } from './http/answers.ts';
import { bodyOf, cookieOf } from './http/read.ts';
import { saidOf } from './said.ts';
import type { Sessions } from './sessions.ts';
import { historyOf } from './timeline.ts';
import type { InboxParts } from './types.ts';

/** What all answers are made from. `cookie`: its name; browsers do not keep ports apart, so it has the port in it. */
export type Routing = { readonly parts: InboxParts; readonly sessions: Sessions; readonly previews: PreviewCache; readonly cookie: string };

type Signed = { readonly bearer: Bearer; readonly hash: string; readonly query: URLSearchParams };

/** Most rows of one list. */
const mostRows = 2_000;

/** Answers a request under /api/ whose origin was looked at before. @throws BodyError */
export async function answerApi(routing: Routing, request: IncomingMessage, { pathname, searchParams }: URL): Promise<Answer> {
  const route = `${request.method ?? ''} ${pathname}`;
  if (route === 'POST /api/session') return signIn(routing, request);
  const id = cookieOf(request, routing.cookie);
  const hash = routing.sessions.tokenOf(id);
  const bearer = hash === undefined ? undefined : await bearerOf(routing.parts.pool, hash);
  if (route === 'DELETE /api/session') {
    routing.sessions.close(id);
    return json(200, {}, `${routing.cookie}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`);
  }
  if (hash === undefined) return refusal(401, 'Sign in with a token first.', 'not_authenticated');
  if (bearer === undefined) {
    routing.sessions.close(id);
    return refusal(401, 'The token was revoked or has expired, or is not good for looking any more: sign in with another one.', 'not_authenticated');
  }
  const signed: Signed = { bearer, hash, query: searchParams };
  switch (route) {
    case 'GET /api/session': return json(200, bearer);
    case 'GET /api/waiting': return list(routing, signed);
    case 'GET /api/request': return found(await detailOf(routing.parts, { ...bearer, opKey: searchParams.get('opKey') ?? '', cache: routing.previews }), 'request');
    case 'GET /api/episode': return found(await historyOf(routing.parts, { ...bearer, episodeId: searchParams.get('id') ?? '' }), 'episode');
    case 'POST /api/decision': return decide(routing, signed, request);
    default: return refusal(404, 'There is nothing at this address.');
  }
}

async function signIn({ parts, sessions, cookie }: Routing, request: IncomingMessage): Promise<Answer> {
  const { token } = await bodyOf(request);
  const hash = tokenHash(typeof token === 'string' ? token.trim() : '');
  const bearer = await bearerOf(parts.pool, hash);
  if (bearer === undefined) return refusal(401, 'This token is unknown, expired or revoked, or was not made for looking (scope view).', 'not_authenticated');
  sessions.close(cookieOf(request, cookie));
  return json(200, bearer, `${cookie}=${sessions.open(hash)}; HttpOnly; SameSite=Strict; Path=/`);
}

async function list({ parts }: Routing, { bearer, query }: Signed): Promise<Answer> {
  const limit = Number(query.get('limit') ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRows) return refusal(400, `A list has 1 to ${String(mostRows)} rows.`);
  const { person, tools } = bearer;
  const text = storable((query.get('text') ?? '').slice(0, 200));
  const filter = { text, ...(tools !== null && { tools }), ...(query.get('mine') === '1' && { approver: person }) };
  const { rows: found, total, waiting } = await waitingRequests(parts.pool, filter, { viewer: person, limit, order: query.get('order') === 'newest' ? 'newest' : 'soonest' });
  const rows = found.map(({ proposal, ...row }) => {
    const { tool, arguments: args } = JSON.parse(proposal) as { tool: string; arguments: unknown }; // of a rollback, the request's own tool is the commit's
    return { ...row, tool, arguments: args };
  });
  return json(200, { waiting, matching: total, rows });
}

async function decide({ parts }: Routing, { hash }: Signed, request: IncomingMessage): Promise<Answer> {
  const said = saidOf(await bodyOf(request));
  if (said === undefined) return refusal(400, 'Nobody can say that about a request.', 'malformed_decision');
  return json(200, await parts.say(hash, said));
}

function found(document: Record<string, unknown> | undefined, what: string): Answer {
  return document === undefined ? refusal(404, `There is no such ${what}, or your token was not made for its tool.`) : json(200, document);
}
