/** Turns what a browser sent into something that is said: shape only; whether it is allowed is the database's to say. */
import type { Said, SaidKind } from '../database/decisions.ts';

const kinds: readonly SaidKind[] = ['approve', 'reject', 'edit', 'comment', 'escalate'];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Undefined where the kind is none: nothing could be kept of it. Everything else goes to the database, which refuses it with a reason and keeps that. */
export function saidOf(body: Readonly<Record<string, unknown>>): Said | undefined {
  const kind = kinds.find((known) => known === body['kind']);
  if (kind === undefined) return undefined;
  const { arguments: args, to } = body;
  return {
    kind, opKey: textOf(body['opKey']), digest: textOf(body['digest']), via: 'inbox', comment: textOf(body['comment']),
    ...(kind === 'edit' && { arguments: typeof args === 'string' ? args : JSON.stringify(args ?? '') }), ...(kind === 'escalate' && { to: textOf(to) }),
  };
}
