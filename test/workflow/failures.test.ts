/** Database errors become failures with different reasons, and keep their SQLSTATE across the activity boundary. */
import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { withMappedFailures } from '../../activities/failures.ts';
import { CommitUnknownError, ContentionError } from '../../database/errors.ts';
import { UnknownCaseError } from '../../scenarios/plan.ts';

const withCode = (code: string): Error => Object.assign(new Error(`as the server says ${code}`), { code });

test.each([
  ['40001', 'database_contention', true], ['23505', 'database_refused', false], ['22P05', 'malformed_input', false], ['57P01', 'database_unavailable', true], ['55P03', 'database_contention', true],
])('SQLSTATE %s becomes %s', async (sqlState, reason, retried) => {
  const failure = await failureOf(withCode(sqlState));
  expect(failure).toMatchObject({ type: reason, nonRetryable: !retried, details: [{ sqlState }] });
});

test.each<[Error, string, boolean]>([
  [new CommitUnknownError('lost'), 'commit_unknown', true], [new ContentionError('often'), 'database_contention', true], [withCode('ECONNREFUSED'), 'database_unavailable', true],
  [new Error('Connection terminated unexpectedly'), 'database_unavailable', true], [new UnknownCaseError('none'), 'unknown_case', false],
])('%s becomes %s', async (error, reason, retried) => {
  expect(await failureOf(error)).toMatchObject({ type: reason, nonRetryable: !retried });
});

test('a bug keeps its own error, and a failure that is typed already stays as it is', async () => {
  const bug = new TypeError('a bug');
  await expect(run(bug)).rejects.toBe(bug);
  const typed = ApplicationFailure.nonRetryable('typed', 'already_decided');
  await expect(run(typed)).rejects.toBe(typed);
});

const run = (error: Error): Promise<never> => withMappedFailures({ fail: (): Promise<never> => Promise.reject(error) }).fail();

async function failureOf(error: Error): Promise<ApplicationFailure> {
  const thrown: unknown = await run(error).catch((caught: unknown) => caught);
  if (!(thrown instanceof ApplicationFailure)) throw new Error('Not mapped.');
  return thrown;
}
