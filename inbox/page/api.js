/** The server as functions. What it answered last is kept with its tag, so that a poll that finds nothing new brings nothing. */

/** An answer that is no success: `status` 0 where nobody answered. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const kept = new Map();
const mostKept = 50;

async function call(method, path, body) {
  const known = method === 'GET' ? kept.get(path) : undefined;
  const headers = { 'x-holdpoint-inbox': '1', ...(body && { 'content-type': 'application/json' }), ...(known && { 'if-none-match': known.tag }) };
  const answer = await fetch(path, { method, headers, cache: 'no-store', credentials: 'same-origin', redirect: 'error', ...(body && { body: JSON.stringify(body) }) })
    .catch(() => { throw new ApiError(0, 'The inbox does not answer. What is shown may be old.'); });
  if (answer.status === 304 && known) return known.document;
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ApiError(answer.status, document.error ?? `The inbox answered ${answer.status}.`);
  if (method === 'GET') {
    kept.delete(path);
    kept.set(path, { tag: answer.headers.get('etag') ?? '', document });
    if (kept.size > mostKept) kept.delete(kept.keys().next().value);
  }
  return document;
}

const path = (base, query) => `${base}?${new URLSearchParams(query)}`;

export const whoAmI = () => call('GET', '/api/session');
export const signIn = (token) => call('POST', '/api/session', { token });
export const signOut = () => { kept.clear(); return call('DELETE', '/api/session', {}); };
export const waiting = ({ order, text, mine, limit }) => call('GET', path('/api/waiting', { order, text, mine: mine ? '1' : '0', limit }));
export const request = (opKey) => call('GET', path('/api/request', { opKey }));
export const episode = (id) => call('GET', path('/api/episode', { id }));
export const decide = (said) => call('POST', '/api/decision', said);
