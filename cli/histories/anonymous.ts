/** Histories that are kept in the project name no machine. */
import { fileURLToPath } from 'node:url';

/** Where the sources are: stacks of failures name it. */
const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/[/\\]$/, '');

/** Takes the machine's name and paths out: replay needs neither. */
export function anonymous(json: string): string {
  const identities = new Set([...json.matchAll(/"identity": "([^"]+)"/g)].map((match) => match[1] ?? ''));
  let text = json.replaceAll(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
  for (const identity of identities) text = text.replaceAll(identity, 'holdpoint');
  return JSON.stringify(JSON.parse(text.replaceAll(root, '')));
}
