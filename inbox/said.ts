/** Turns what a browser sent into something that is said: shape only; whether it is allowed is the database's to say. */
import type { Speech } from './decide.ts';

const kinds: readonly Speech['kind'][] = ['approve', 'reject', 'edit', 'comment', 'escalate'];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Undefined where the kind is none: nothing could be kept of it. Everything else goes to the database, which refuses it with a reason and keeps that. */
export function saidOf(body: Readonly<Record<string, unknown>>): Speech | undefined {
  const kind = kinds.find((known) => known === body['kind']);
  if (kind === undefined) return undefined;
  const { opKey, digest, comment, arguments: args, to } = body;
  return { kind, opKey: textOf(opKey), digest: textOf(digest), comment: textOf(comment), ...(kind === 'edit' && { arguments: args }), ...(kind === 'escalate' && { to: textOf(to) }) };
}
