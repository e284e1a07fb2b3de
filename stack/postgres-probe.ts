/** Asks a Postgres whether it takes connections, by the first bytes of its protocol (PostgreSQL manual, "Message Flow: Start-up"). */
import { connect, type Socket } from 'node:net';

export type PostgresPlace = { readonly host: string; readonly port: number } | { readonly path: string };

/** `ready`: it would let somebody sign in. `starting`: it answers, but not yet. `silent`: nothing that speaks Postgres. */
export type PostgresAnswer = 'ready' | 'starting' | 'silent';

/** Length 8, code 80877103: "do you speak TLS?", answered by one byte S or N before anything else. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Where the server of a connection string is: a socket folder in `?host=/…`, else host and port. @throws where it is not a postgres URL. */
export function placeOf(url: string): PostgresPlace {
  const parsed = new URL(url);
  if (!/^postgres(ql)?:$/.test(parsed.protocol)) throw new TypeError('not a postgres URL');
  const port = parsed.port === '' ? 5432 : Number(parsed.port);
  const named = parsed.searchParams.get('host') ?? decodeURIComponent(parsed.hostname);
  if (named.startsWith('/')) return { path: `${named}/.s.PGSQL.${String(port)}` };
  return { host: named === '' ? 'localhost' : named.replace(/^\[|\]$/g, ''), port };
}

/** The connection string without its password, for sentences. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password !== '') parsed.password = '…';
    parsed.searchParams.delete('password');
    return decodeURIComponent(parsed.toString());
  } catch {
    return '(unreadable)';
  }
}

/** Asks for TLS, then, where the server has none, begins to sign in and reads the first byte of the answer. */
export function askPostgres(place: PostgresPlace, timeoutMs: number): Promise<PostgresAnswer> {
  return new Promise((resolve) => {
    const socket = connect(place);
    const end = (answer: PostgresAnswer): void => { socket.destroy(); resolve(answer); };
    socket.setTimeout(timeoutMs, () => { end('silent'); });
    socket.once('error', () => { end('silent'); });
    socket.once('close', () => { resolve('silent'); });
    socket.once('connect', () => socket.write(sslRequest));
    socket.once('data', (bytes) => {
      const first = bytes.toString('latin1', 0, 1);
      if (first === 'S') end('ready');
      else if (first === 'N') signIn(socket, end);
      else end(first === 'E' ? 'starting' : 'silent');
    });
  });
}

function signIn(socket: Socket, end: (answer: PostgresAnswer) => void): void {
  socket.once('data', (bytes) => {
    const text = bytes.toString('latin1');
    if (text.startsWith('R')) end('ready');
    else if (text.startsWith('E')) end(text.includes('57P03') ? 'starting' : 'ready');
    else end('silent');
  });
  socket.write(startupMessage('postgres', 'postgres'));
}

/** Protocol 3.0's first message: its length, the version, then name and value pairs, each ended by a zero. */
export function startupMessage(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}
