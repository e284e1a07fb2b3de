/** Which requests come from the inbox's own page: everything else is refused before anything is read. */
import type { IncomingMessage } from 'node:http';

/** The header that the page sends with everything: no form and no link of another site can, and asking leave for it across sites gets no answer. */
export const ownHeader = 'x-holdpoint-inbox';

/**
 * Why a request is refused, or null. Names that lead to the loopback by DNS (rebinding) fail at Host; another site's page at Sec-Fetch-Site or Origin; another
 * site's form at the header and the content's type. `hosts`: as the browser writes them, with the port.
 */
export function originProblem({ method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>, { hosts, isApi }: { readonly hosts: readonly string[]; readonly isApi: boolean }): string | null {
  const { host = '', origin } = headers;
  if (!hosts.includes(host)) return 'This server answers under its own address only.';
  if (!isApi) return null;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && origin !== `http://${host}`) return 'The request comes from another site.';
  if (site !== undefined && site !== 'same-origin') return 'The request comes from another site.';
  if (headers[ownHeader] !== '1') return `The header ${ownHeader} is missing.`;
  if (method === 'GET' || method === 'HEAD') return null;
  if (origin === undefined && site === undefined) return 'Nothing says where the request comes from.';
  if (!/^application\/json(;|$)/.test(headers['content-type'] ?? '')) return 'The content is not JSON.';
  return null;
}
