/** Reads out of a JSON text what JSON.parse forgets: keys that come twice, and how each number was written. */

/** `numbers`: path to literal, such as `arguments.amountCents` to `3.0`. */
export type Scan = { readonly duplicate: string | null; readonly numbers: ReadonlyMap<string, string> };

type Frame = { readonly path: string; readonly keys: Set<string> | null; index: number; key: string };

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null/g;

/**
 * Scans a text that JSON.parse has accepted: on any other text the result means nothing. Keys are compared unescaped, so `"a"` and `"\u0061"` are one key.
 * `duplicate` is the path of the first key that comes twice in one object.
 */
export function scanJson(text: string): Scan {
  const numbers = new Map<string, string>();
  const stack: Frame[] = [];
  let duplicate: string | null = null;
  let expectsKey = false;
  for (const [token] of text.matchAll(tokens)) {
    const top = stack.at(-1);
    if (token === '{' || token === '[') {
      stack.push({ path: pathIn(top), keys: token === '{' ? new Set() : null, index: 0, key: '' });
      expectsKey = token === '{';
    } else if (token === '}' || token === ']') {
      stack.pop();
      expectsKey = false;
    } else if (token === ',') {
      if (top !== undefined) top.index += 1;
      expectsKey = top?.keys instanceof Set;
    } else if (token === ':') {
      expectsKey = false;
    } else if (expectsKey && top?.keys instanceof Set) {
      top.key = JSON.parse(token) as string;
      if (top.keys.has(top.key)) duplicate ??= pathIn(top);
      top.keys.add(top.key);
    } else if (/^[-\d]/.test(token)) {
      numbers.set(pathIn(top), token);
    }
  }
  return { duplicate, numbers };
}

/** The path of the value that comes next in a frame; the whole text's is empty. */
function pathIn(frame: Frame | undefined): string {
  if (frame === undefined) return '';
  const last = frame.keys === null ? String(frame.index) : frame.key;
  return frame.path === '' ? last : `${frame.path}.${last}`;
}
