/** A WebSocket's client side (RFC 6455), as little as an inspector needs: Node 20 has none of its own. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';

export type Line = { send(text: string): void; close(): void };

/** Opens it and hands on every text. */
export function openLine(address: string, hear: (text: string) => void): Promise<Line> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(address);
    const asked = request({ hostname, port, path: pathname, headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64') } });
    asked.once('error', reject).once('upgrade', (_, socket: Socket, head: Buffer) => {
      socket.setNoDelay(true); // a question waits for the last one's acknowledgement otherwise, 40 ms each
      let rest = head;
      const read = (data: Buffer): void => {
        rest = Buffer.concat([rest, data]);
        for (let frame = firstFrame(rest); frame !== null; frame = firstFrame(rest)) {
          rest = rest.subarray(frame.end);
          if (frame.opcode === 1) hear(frame.text);
        }
      };
      socket.on('data', read).on('error', () => undefined);
      read(Buffer.alloc(0));
      resolve({ send: (text) => { socket.write(masked(text)); }, close: () => { socket.destroy(); } });
    });
    asked.end();
  });
}

/** The inspector sends every message in one frame, unmasked. */
function firstFrame(data: Buffer): { opcode: number; text: string; end: number } | null {
  if (data.length < 2) return null;
  const short = (data[1] ?? 0) & 127;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (data.length < start) return null;
  const length = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short;
  return data.length < start + length ? null : { opcode: (data[0] ?? 0) & 15, text: data.subarray(start, start + length).toString('utf8'), end: start + length };
}

function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = randomBytes(4);
  const length = Buffer.from(body.length < 126 ? [128 | body.length] : [128 | 126, body.length >> 8, body.length & 255]); // questions are short
  return Buffer.concat([Buffer.from([129]), length, mask, body.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]);
}
