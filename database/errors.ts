/** What a database error means to the engine: contention to rerun, a lost line, or a refusal; the SQLSTATE is kept. */
import type { Reason } from '../contract/failures.ts';

/** COMMIT was sent and no answer came: the transaction may or may not have committed. Settle it by its op key. */
export class CommitUnknownError extends Error {
  override name = 'CommitUnknownError';
}

/** Reruns of a whole transaction were used up. @see TransactionOptions.reruns */
export class ContentionError extends Error {
  override name = 'ContentionError';
}

/** The server answered COMMIT with ROLLBACK: an error inside the transaction was swallowed, and nothing was written. */
export class RolledBackError extends Error {
  override name = 'RolledBackError';
}

/** The error's SQLSTATE (PostgreSQL manual, appendix A), or null where it did not come from the server. */
export function sqlStateOf(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/**
 * Serialisation failure, deadlock, or an op key that another transaction settled first: normal results, mended by running the whole transaction again,
 * which then finds what the other one left.
 */
export function isContention(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01' || (state === '23505' && (error as { constraint?: string }).constraint === 'ledger_one_final_row');
}

/**
 * What a connection had prepared no longer fits: a pooler gave the connection another server process (26000), or a migration replaced a function in between
 * (0A000, XX000, which mean other things too, hence the wording). The server rolled back, and a rerun prepares again.
 */
export function isStalePlan(error: unknown): boolean {
  const state = sqlStateOf(error);
  const message = error instanceof Error ? error.message : '';
  return state === '26000' || (state === '0A000' && message === 'cached plan must not change result type') || (state === 'XX000' && message.startsWith('cache lookup failed for function'));
}

/** What the operating system says when a socket is gone or cannot be opened. */
const socketErrors = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

/** What pg says, without any code, when its connection ended or could not be had. */
const lostLine = /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Cannot use a pool after calling end)/;

/** The line is gone: the socket broke, pg says so, or the server announced that it closes the connection (class 08, 57P0x). An error of the program itself is none. */
export function isConnectionLoss(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state?.startsWith('08') === true || state?.startsWith('57P0') === true) return true;
  if (!(error instanceof Error)) return false;
  return socketErrors.has((error as { code?: string }).code ?? '') || lostLine.test(error.message);
}

/** The registry's reason for a database error that reached an activity. */
export function reasonOfDatabaseError(error: unknown): Reason {
  if (error instanceof CommitUnknownError) return 'commit_unknown';
  if (error instanceof ContentionError || isContention(error)) return 'database_contention';
  const state = sqlStateOf(error);
  if (state === '55P03' || state === '57014') return 'database_contention'; // lock or statement timeout
  return isConnectionLoss(error) || state?.startsWith('53') === true ? 'database_unavailable' : 'database_refused';
}
