/** A connection that is really cut once COMMIT was answered and before the client has seen it: the real ambiguous commit. */
import type { Socket } from 'node:net';
import { createPool, type Client, type Pool } from './pool.ts';

/** A pool of one connection, and whether COMMIT was seen passing: only then does a cut count. */
export type CutLine = { readonly pool: Pool; landed(): boolean; end(): Promise<void> };

/** What the server says when a transaction is over, as the tag of CommandComplete. */
const tags = ['COMMIT\0', 'ROLLBACK\0'].map((tag) => Buffer.from(tag));

/**
 * Opens a line for one transaction. From the first statement on the answers are swallowed, and when the server has ended the transaction the socket is destroyed.
 * Waiting for the server's answer makes the cut land every time; destroying earlier may stop the backend before it reaches COMMIT.
 */
export function openCutLine(url: string): CutLine {
  const pool = createPool({ url, max: 1, name: 'holdpoint-cut' });
  let landed = false;
  pool.on('connect', (client: Client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    let tail = Buffer.alloc(0);
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => {
      tail = Buffer.concat([tail, chunk]).subarray(-65_536);
      if (!tags.some((tag) => tail.includes(tag))) return;
      landed = tail.includes('COMMIT\0');
      stream.destroy();
    });
  });
  return { pool, landed: () => landed, end: () => pool.end() };
}
