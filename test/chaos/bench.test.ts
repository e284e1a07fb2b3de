/** The episode half of the bench runs from end to end at reduced size: that it measures, not what it measures. */
import { expect, test } from 'vitest';
import { bench } from '../../cli/bench.ts';

test('the bench measures episodes beside bare workflows on servers of its own', async () => {
  const { episode, approvalToCommitMs, settings } = await bench({ quick: true, only: 'episode', signal: new AbortController().signal, quiet: true });
  expect(episode?.bareTemporalMs).toBeGreaterThan(0);
  expect(episode?.ratio).toBeGreaterThan(0);
  expect(episode?.perS).toBeGreaterThan(0);
  expect(approvalToCommitMs?.p50).toBeGreaterThan(0);
  expect(approvalToCommitMs?.p99).toBeGreaterThanOrEqual(approvalToCommitMs?.p50 ?? Infinity);
  expect(settings).toMatchObject({ size: 'quick', postgresSettings: { fsync: 'on', synchronous_commit: 'on' } });
}, 240_000);
