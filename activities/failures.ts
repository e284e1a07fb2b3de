/** Turns what an activity throws into the one kind of failure that crosses Temporal: its type is a reason of the registry, its details keep the SQLSTATE. */
import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import { failures, isReason, type Reason } from '../contract/failures.ts';
import { CommitUnknownError, ContentionError, reasonOfDatabaseError, sqlStateOf } from '../database/errors.ts';

/** A failure made from the registry: retried or not as its entry says. */
export function failureOf(reason: Reason, message: string = failures[reason].sentence, from?: unknown): ApplicationFailure {
  const { retryable } = failures[reason];
  const sqlState = sqlStateOf(from);
  return ApplicationFailure.create({ type: reason, message, nonRetryable: !retryable, details: [{ sqlState }], ...(from instanceof Error && { cause: from }) });
}

/** Every activity of a factory, with its errors mapped. */
export function withMappedFailures<T extends object>(activities: T): T {
  const wrapped = Object.entries(activities).map(([name, run]) => [name, async (...args: unknown[]) => {
    try {
      return await (run as (...args: unknown[]) => Promise<unknown>)(...args);
    } catch (error) {
      throw mapped(error);
    }
  }]);
  return Object.fromEntries(wrapped) as T;
}

function mapped(error: unknown): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error;
  if (error instanceof Error && error.name === 'AbortError') return new CancelledFailure('Cancelled.');
  const reason = reasonOfError(error);
  return reason === null ? error : failureOf(reason, error instanceof Error ? error.message : undefined, error);
}

/** The registry's reason for an error, or null for one that is a bug: Temporal then retries it as it came. */
export function reasonOfError(error: unknown): Reason | null {
  if (!(error instanceof Error)) return null;
  if ('reason' in error && typeof error.reason === 'string' && isReason(error.reason)) return error.reason;
  const state = sqlStateOf(error);
  // Class 22, data exception (PostgreSQL manual, appendix A): a value that no column can hold, such as a NUL in a text.
  if (state?.startsWith('22') === true) return 'malformed_input';
  if (state !== null || error instanceof CommitUnknownError || error instanceof ContentionError || isLineLost(error)) return reasonOfDatabaseError(error);
  return null;
}

/** An error of the driver or the socket that carries no SQLSTATE. */
function isLineLost(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /^E[A-Z]+$/.test(code) || /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i.test(error.message);
}
