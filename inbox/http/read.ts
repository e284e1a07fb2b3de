/** What a request brings: its cookie, and its body as JSON up to a limit. */
import type { IncomingMessage } from 'node:http';

/** Longest body, in bytes: room for a comment of a million characters, so that it is refused by the database with its reason and kept as refused. */
const mostBytes = 4_000_000;

/** The body is too long, ends before its end, or is no JSON object: nothing is done with it. */
export class BodyError extends Error {
  override name = 'BodyError';
  readonly status: 400 | 413;
  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/** One that is too long is read to its end and thrown away: an answer before that would be lost with the connection. @throws BodyError */
export async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch {
    throw new BodyError(400, 'The connection ended before the content.'); // nobody hears it
  }
  if (bytes > mostBytes) throw new BodyError(413, 'The content is too long.');
  try {
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new BodyError(400, 'The content is not a JSON object.');
}

/** A cookie's value, or the empty text. */
export function cookieOf(request: IncomingMessage, name: string): string {
  const found = (request.headers.cookie ?? '').split(';').map((part) => part.trim()).find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}
