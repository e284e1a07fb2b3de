/** A TCP proxy before Postgres that cuts connections exactly at COMMIT, so that the cut is a fact on the wire and not a guess about timing. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { asksToCommit, endsARound, isEncryptionRequest, MessageSplitter, type Message } from './wire.ts';

/**
 * `answer`: COMMIT goes on to the server, and the client is cut at once: the transaction lands, nobody hears of it.
 * `commit`: everything before COMMIT goes on and is carried out, COMMIT is withheld, and the line is cut: the server rolls back.
 */
export type Cut = 'answer' | 'commit';

/** A running proxy. */
export type CutProxy = {
  /** The same database by way of the proxy. */
  readonly url: string;
  /** COMMITs seen passing, and cuts made at one. */
  counts(): { readonly commits: number; readonly cuts: number };
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
};

/**
 * Starts a proxy on the loopback before the server that `url` names (TCP without TLS: the proxy must read the protocol).
 * @param decide asked at every COMMIT seen; null lets it pass
 */
export async function startCutProxy(url: string, decide: () => Cut | null): Promise<CutProxy> {
  const upstream = new URL(url);
  const lines = new Set<Line>();
  const counts = { commits: 0, cuts: 0 };
  const asked = (): Cut | null => {
    counts.commits += 1;
    const cut = decide();
    if (cut !== null) counts.cuts += 1;
    return cut;
  };
  const server = createServer({ noDelay: true }, (client) => {
    const line = new Line(client, connect({ host: upstream.hostname, port: Number(upstream.port || 5432), noDelay: true }), asked);
    lines.add(line);
    line.onEnd(() => lines.delete(line));
  });
  await listen(server);
  const address = server.address();
  const here = new URL(url);
  here.hostname = '127.0.0.1';
  here.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: here.toString(),
    counts: () => ({ ...counts }),
    close: () => {
      for (const line of lines) line.destroy();
      return new Promise((resolve) => { server.close(() => { resolve(); }); });
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

const sync: Message = { type: 'S', bytes: Buffer.from([0x53, 0, 0, 0, 4]) };

/** One client's connection and its way on to the server. */
class Line {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #decide: () => Cut | null;
  readonly #fromClient = new MessageSplitter('client');
  readonly #fromServer = new MessageSplitter('server');
  #cut: Cut | null = null;
  /** With the answer cut: whether the whole of COMMIT, which may be several messages, has gone on. */
  #sealed = false;
  /** Rounds that the server still owes a ReadyForQuery; the start-up is one. */
  #owed = 1;

  constructor(client: Socket, server: Socket, decide: () => Cut | null) {
    this.#client = client;
    this.#server = server;
    this.#decide = decide;
    const guarded = (work: (chunk: Buffer) => void) => (chunk: Buffer): void => {
      try {
        work(chunk);
      } catch {
        this.destroy(); // not Postgres's protocol: both ends see a lost line
      }
    };
    client.on('data', guarded((chunk) => { for (const message of this.#fromClient.push(chunk)) this.#forward(message); }));
    server.on('data', guarded((chunk) => { this.#answer(chunk); }));
    for (const socket of [client, server]) socket.on('error', () => { socket.destroy(); });
    // A client that is cut while its COMMIT is on the way must not take the server's side along.
    client.on('close', () => { if (!this.#isCut()) server.destroy(); });
    server.on('close', () => { client.destroy(); });
  }

  onEnd(done: () => void): void {
    this.#server.on('close', done);
  }

  destroy(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #forward(message: Message): void {
    if (this.#isCut()) return; // what follows a cut was never sent
    if (message.type === '' && isEncryptionRequest(message.bytes)) {
      this.#client.write('N');
      return;
    }
    if (this.#cut === null && asksToCommit(message)) this.#cut = this.#decide();
    if (this.#cut !== 'commit') this.#send(message);
    // In a batch of the extended protocol nothing was synchronised yet; a Sync inside a transaction makes the server answer, and commits nothing.
    else if (message.type === 'P') this.#send(sync);
    if (this.#cut === 'answer' && endsARound(message)) {
      this.#sealed = true;
      this.#client.destroy();
    }
    this.#endIfDone();
  }

  #isCut(): boolean {
    return this.#cut === 'commit' || this.#sealed;
  }

  #send(message: Message): void {
    this.#server.write(message.bytes);
    if (endsARound(message)) this.#owed += 1;
  }

  #answer(chunk: Buffer): void {
    for (const { type } of this.#fromServer.push(chunk)) if (type === 'Z') this.#owed -= 1;
    if (this.#cut === null) this.#client.write(chunk);
    this.#endIfDone();
  }

  /** A cut line ends when the server has carried out all it was given; ending sooner could stop it half way and make the cut another one. */
  #endIfDone(): void {
    if (this.#isCut() && this.#owed <= 0) this.destroy();
  }
}
