/** Reads a workflow's one JSON argument: everything left out gets its default, anything malformed is refused for good, in one sentence. */
import { ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';

/** @throws ApplicationFailure of type `malformed_input`, which no retry can mend */
export function parseInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'the argument' : `"${issue.path.map(String).join('.')}"`;
  throw ApplicationFailure.nonRetryable(`The input is malformed at ${place}: ${issue?.message ?? 'unreadable'}. Give one JSON object; every field has a default.`, 'malformed_input');
}
