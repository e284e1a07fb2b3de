/** Splits a stream of Postgres protocol messages (PostgreSQL manual, chapter Frontend/Backend Protocol, section Message Formats). */

import { commitStatement } from '../../database/one-trip-query.ts';

/** One message as it stood on the line. `type` is its first byte, empty for the untyped start-up packets. */
export type Message = { readonly type: string; readonly bytes: Buffer };

/** Most bytes of one message that are kept back while it is incomplete: far above anything sent here, so a broken stream ends instead of growing. */
const mostBytes = 16 * 1024 * 1024;

/** Collects chunks and gives back whole messages. The client's first packets carry no type byte; the server's all do. */
export class MessageSplitter {
  #rest = Buffer.alloc(0);
  #untyped: boolean;

  constructor(side: 'client' | 'server') {
    this.#untyped = side === 'client';
  }

  /** @throws RangeError for a length that no message has */
  push(chunk: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (let message = this.#next(); message !== undefined; message = this.#next()) messages.push(message);
    return messages;
  }

  #next(): Message | undefined {
    const typeBytes = this.#untyped ? 0 : 1;
    if (this.#rest.length < typeBytes + 4) return undefined;
    const length = this.#rest.readInt32BE(typeBytes);
    if (length < 4 || length > mostBytes) throw new RangeError(`A message of ${String(length)} bytes is none of Postgres's.`);
    if (this.#rest.length < typeBytes + length) return undefined;
    const bytes = this.#rest.subarray(0, typeBytes + length);
    this.#rest = this.#rest.subarray(typeBytes + length);
    // After StartupMessage (code 196608 and later minors) every message is typed; SSLRequest and GSSENCRequest are followed by another packet.
    if (this.#untyped && !isEncryptionRequest(bytes)) this.#untyped = false;
    return { type: typeBytes === 0 ? '' : bytes.toString('latin1', 0, 1), bytes };
  }
}

/** SSLRequest or GSSENCRequest. */
export function isEncryptionRequest(packet: Buffer): boolean {
  return packet.length === 8 && [80_877_103, 80_877_104].includes(packet.readInt32BE(4));
}

/** Whether a client's message asks to COMMIT: a simple query, an unnamed statement's text, or the binding of the statement that the one-trip query prepared. */
export function asksToCommit({ type, bytes }: Message): boolean {
  const texts = bytes.toString('utf8', 5).split('\0');
  if (type === 'B') return texts[1] === commitStatement.name; // after the portal's name
  const text = type === 'Q' || (type === 'P' && texts[0] === '') ? texts[type === 'Q' ? 0 : 1] : undefined;
  return text !== undefined && /^\s*commit\s*;?\s*$/i.test(text);
}

/** Whether a client's message is answered with one ReadyForQuery: a simple query, a Sync, or a function call. */
export function endsARound({ type }: Message): boolean {
  return type === 'Q' || type === 'S' || type === 'F';
}
