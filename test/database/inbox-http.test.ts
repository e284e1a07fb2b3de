/** The inbox's server by bare requests: text that cannot be kept, bodies that are slow, cut off or too long, and what it says of them on the console. */
import { Agent, request as ask } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../database/tokens.ts';
import { serveInbox, type RunningInbox } from '../../inbox/server.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let db: TestDatabase;
let inbox: RunningInbox;
let token: string;
const said: string[] = [];
const nobodyAsks = (): never => { throw new Error('Nobody asks for this here.'); };
beforeAll(async () => {
  db = await testDatabase();
  inbox = await serveInbox({ pool: db.pool, say: nobodyAsks, preview: nobodyAsks, instructionOf: () => null, episodeLink: () => null }, { port: 0, fallback: false, onError: (line) => said.push(line), requestMs: 1_500 });
  ({ token } = await createToken(db.owner, { person: 'ana', scopes: ['view'], ttlMs: 60_000 }));
});
afterAll(async () => {
  await inbox.close();
  await db.close();
});

type Got = { readonly status: number; readonly text: string; readonly headers: NodeJS.Dict<string | string[]> };
const own = { 'x-holdpoint-inbox': '1', 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
function get(path: string, { method = 'GET', cookie = '', body = '', agent }: { method?: string; cookie?: string; body?: string; agent?: Agent } = {}): Promise<Got> {
  const { hostname, port } = new URL(inbox.url);
  return new Promise((resolve, reject) => {
    const sent = ask({ hostname, port, path, method, headers: { ...own, cookie, 'content-length': Buffer.byteLength(body) }, ...(agent && { agent }) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => { text += chunk; }).on('end', () => { resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }); });
    });
    sent.on('error', reject).end(body);
  });
}
const post = (body: string, agent?: Agent): Promise<Got> => get('/api/session', { method: 'POST', body, ...(agent && { agent }) });

/** A connection on which a body was announced and has begun. */
async function begun(): Promise<{ readonly socket: Socket; readonly heard: () => string }> {
  const { host, port } = new URL(inbox.url);
  const socket = connect(Number(port), '127.0.0.1');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => { heard += text; }).on('error', () => undefined);
  await once(socket, 'connect');
  const head = Object.entries({ host, ...own, 'content-length': '100' }).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST /api/session HTTP/1.1\r\n${head}\r\n{"token":`);
  return { socket, heard: () => heard };
}

test('a NUL or what is no address is not found, or finds nothing; it breaks nothing', async () => {
  const cookie = String((await post(JSON.stringify({ token }))).headers['set-cookie']).split(';')[0] ?? '';
  const paths = ['/api/request?opKey=%00', '/api/request?opKey=a%00%3A1', '/api/episode?id=%00', '/api/episode?id=%ff%00', '//', '/api/%00', 'http://['];
  for (const path of paths) expect([path, (await get(path, { cookie })).status]).toEqual([path, 404]);
  for (const text of ['%00', 'x'.repeat(199) + encodeURIComponent('😀')]) expect(JSON.parse((await get(`/api/waiting?text=${text}`, { cookie })).text)).toMatchObject({ matching: 0, rows: [] });
  expect((await get('/api/waiting?order=%00&mine=%00&limit=%00', { cookie })).status).toBe(400);
  expect((await post(JSON.stringify({ token: 'a\u0000\ud800' }))).status).toBe(401);
  expect(said).toEqual([]);
});

test('a body that does not come to its end is given up in time, and one that is cut off is nobody else\'s trouble', async () => {
  const slow = await begun();
  await once(slow.socket, 'close');
  expect(slow.heard()).toMatch(/^HTTP\/1\.1 408 /);
  const cut = await begun();
  const { status } = await post('{}'); // taken up after the other one
  cut.socket.destroy();
  await once(cut.socket, 'close');
  // Whatever the server has to say about it, it says before it answers this.
  expect([status, (await post('{}')).status, said]).toEqual([401, 401, []]);
});

test('after a body that was too long the connection ends well, and the next request is answered', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let round = 0; round < 20; round += 1) {
    const { status, headers, text } = await post(`"${'x'.repeat(8_000_000)}"`, agent);
    expect([status, headers['connection'], JSON.parse(text)]).toEqual([413, 'close', { error: 'The content is too long.', reason: 'malformed_decision' }]);
    expect((await post('{}', agent)).status).toBe(401);
  }
  agent.destroy();
  expect(said).toEqual([]);
});
