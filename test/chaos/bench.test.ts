/** The episode and evaluation parts of the bench run from end to end at reduced size: that they measure, not what they measure. */
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

test('the bench measures an evaluation beside bare updates, and how it grows with the decisions', async () => {
  const { evaluate, commit, episode } = await bench({ quick: true, only: 'evaluate', signal: new AbortController().signal, quiet: true });
  if (evaluate === undefined) throw new TypeError('Nothing was measured.');
  const { outcomesPerS, barePerS, shareOfBareCommits, growth } = evaluate;
  expect(outcomesPerS).toBeGreaterThan(0);
  expect(shareOfBareCommits).toBeCloseTo(outcomesPerS / barePerS, 1);
  expect([growth.small.decisions, growth.large.decisions]).toEqual([8, 80]);
  expect(growth.large.outcomes).toBe(10 * growth.small.outcomes);
  expect(growth.timePerDecision).toBeGreaterThan(0);
  expect(growth.small.rssMbMost).toBeGreaterThan(0);
  expect([commit, episode]).toEqual([undefined, undefined]);
}, 240_000);
