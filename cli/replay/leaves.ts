/** The first place at which two JSON texts differ. */

/** `path`: where, in dots; empty for the whole. */
export type Difference = { readonly path: string; readonly expected: string; readonly found: string };

/** Null where both say the same. Texts that are no JSON are compared whole. */
export function firstDifference(expected: string, found: string): Difference | null {
  if (expected === found) return null;
  try {
    return within('', JSON.parse(expected), JSON.parse(found));
  } catch {
    return { path: '', expected, found };
  }
}

function within(path: string, expected: unknown, found: unknown): Difference | null {
  if (isTree(expected) && isTree(found) && Array.isArray(expected) === Array.isArray(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const difference = within(path === '' ? key : `${path}.${key}`, expected[key], found[key]);
      if (difference !== null) return difference;
    }
    return null;
  }
  return Object.is(expected, found) ? null : { path, expected: shown(expected), found: shown(found) };
}

/** Every leaf's value, as it is shown. */
export function leafValues(text: string): string[] {
  const walk = (value: unknown): string[] => (isTree(value) ? Object.values(value).flatMap(walk) : [shown(value)]);
  try {
    return walk(JSON.parse(text));
  } catch {
    return [];
  }
}

/** A value as JSON; `nothing` for undefined. */
export function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
