/** Reads a workflow's one JSON argument: everything left out gets its default, anything malformed is refused for good, in one sentence. */
import type { z } from 'zod';
import { failureOf } from './failures.ts';

/**
 * Checked in the workflow's first activity and not in its own code, which would build every schema anew for every workflow.
 * @throws ApplicationFailure of type `malformed_input`, which no retry can mend
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'the argument' : `"${issue.path.map(String).join('.')}"`;
  throw failureOf('malformed_input', `The input is malformed at ${place}: ${issue?.message ?? 'unreadable'}. Give one JSON object; every field has a default.`);
}
