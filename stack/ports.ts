/** Which ports of the loopback are free, and which answer. */
import { connect, createServer } from 'node:net';
import { StackError } from './types.ts';

/** The address that every server of ours is bound to. */
export const loopback = '127.0.0.1';

/** True where nobody listens on the port. Another process may take it a moment later. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => { resolve(false); });
    server.listen(port, loopback, () => { server.close(() => { resolve(true); }); });
  });
}

/** The first free one of the preferred ports that is not in `taken`, else one the system chooses. */
export async function freePort(preferred: readonly number[], taken: readonly number[] = []): Promise<number> {
  for (const port of preferred) if (!taken.includes(port) && (await isFree(port))) return port;
  const chosen = await anyPort();
  return taken.includes(chosen) ? freePort([], taken) : chosen;
}

function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, loopback, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new StackError('No free port was found on the loopback.'));
      });
    });
  });
}

/** True where something accepts a TCP connection at the address within the time. */
export function accepts(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer: boolean): void => { socket.destroy(); resolve(answer); };
    socket.setTimeout(timeoutMs, () => { end(false); });
    socket.once('connect', () => { end(true); });
    socket.once('error', () => { end(false); });
  });
}
