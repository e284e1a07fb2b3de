/** How every answer leaves: never framed, never sniffed, never kept by a cache, and with no script but the page's own. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** No inline script or style, nothing from elsewhere, no frame around it; and no text ever becomes markup, not even by a mistake of the page's own. */
const policy = [
  `default-src 'none'`, `script-src 'self'`, `style-src 'self'`, `img-src 'self'`, `connect-src 'self'`, `base-uri 'none'`, `form-action 'none'`, `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`, `trusted-types 'none'`,
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': policy, 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin', 'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** What is answered. */
export type Answer = { readonly status: number; readonly type: string; readonly body: string | Buffer; readonly cookie?: string };

/** JSON. */
export function json(status: number, document: unknown, cookie?: string): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(document), ...(cookie !== undefined && { cookie }) };
}

/** A refusal of the server's own, in one sentence. `reason`: the registry's, where it has one. */
export function refusal(status: number, message: string, reason: string | null = null): Answer {
  return json(status, { error: message, reason });
}

/** Sends it. Where the browser has the same bytes already, it is told so: a poll that finds nothing new costs no body. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const tag = `"${createHash('sha256').update(answer.body).digest('base64url')}"`;
  const isSame = answer.status === 200 && request.method === 'GET' && request.headers['if-none-match'] === tag;
  response.writeHead(isSame ? 304 : answer.status, {
    ...headers, 'content-type': answer.type, 'cache-control': 'no-cache, private', etag: tag, ...(answer.status === 413 && { connection: 'close' }), ...(answer.cookie !== undefined && { 'set-cookie': answer.cookie }),
  });
  response.end(isSame || request.method === 'HEAD' ? undefined : answer.body);
}
