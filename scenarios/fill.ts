/** Puts an instance's facts into a template's data: `$name` is the fact of that name. */
import type { Facts } from './scenario.ts';

/** A template names a fact that its instance does not have. */
export class UnknownFactError extends Error {
  override name = 'UnknownFactError';
}

/**
 * A copy of `value` with every `$name` filled. A text that is exactly `$name` becomes the fact with its type; elsewhere in a text the fact is written out.
 * @throws UnknownFactError
 */
export function fill<T>(value: T, facts: Facts): T {
  return fillAny(value, facts) as T;
}

function fillAny(value: unknown, facts: Facts): unknown {
  if (typeof value === 'string') return fillText(value, facts);
  if (Array.isArray(value)) return value.map((part) => fillAny(part, facts));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fillAny(part, facts)]));
  return value;
}

function fillText(text: string, facts: Facts): string | number {
  const whole = /^\$([a-z][A-Za-z]*)$/.exec(text)?.[1];
  if (whole !== undefined) return factOf(whole, facts);
  return text.replace(/\$([a-z][A-Za-z]*)/g, (_, name: string) => String(factOf(name, facts)));
}

function factOf(name: string, facts: Facts): string | number {
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
  if (fact === undefined) throw new UnknownFactError(`The instance has no fact "${name}".`);
  return fact;
}
