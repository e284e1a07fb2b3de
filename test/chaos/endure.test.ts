/** Held episodes outlive SIGKILL of the worker and of Temporal on its file, at reduced size; `holdpoint endure` does it with 2,000. */
import { expect, test } from 'vitest';
import { endure } from '../../cli/endure/run.ts';

test('sixty held episodes outlive the death of the worker and of Temporal, and commit once each', async () => {
  const result = await endure({ episodes: 60, signal: new AbortController().signal, quiet: true });
  expect(result).toMatchObject({ episodes: 60, held: 60, ledgerRows: 60, duplicates: 0, shortcomings: [] });
  expect(result.historyEvents.max).toBeLessThan(60);
}, 240_000);
