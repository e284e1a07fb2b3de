/** What .ci/run's last line counts. */
import { expect, test, vi } from 'vitest';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import CiSummary, { countsOf, type Counted } from './ci-summary.ts';

const module = (states: readonly string[], broken: { readonly file?: boolean; readonly suites?: number } = {}): Counted => ({
  children: {
    allTests: () => states.map((state) => ({ result: () => ({ state }) })),
    allSuites: () => Array.from({ length: broken.suites ?? 0 }, () => ({ errors: () => ['a hook failed'] })),
  },
  errors: () => (broken.file === true ? ['it could not be imported'] : []),
});
const calm = { unhandled: 0, interrupted: false };

test('tests that passed and failed are counted, skipped ones are neither', () => {
  expect(countsOf([module(['passed', 'passed', 'skipped']), module(['failed', 'passed'])], calm)).toEqual({ passed: 3, failed: 1 });
});

test('a file that could not be loaded and a group whose hook failed are failures, though no test of theirs ran', () => {
  expect(countsOf([module([], { file: true }), module(['skipped'], { suites: 1 })], calm)).toEqual({ passed: 0, failed: 2 });
});

test('errors outside every test and an interrupted run are failures', () => {
  expect(countsOf([module(['passed'])], { unhandled: 2, interrupted: true })).toEqual({ passed: 1, failed: 3 });
});

test('the counts are left as one line in the file that the environment names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-counts-'));
  vi.stubEnv('HOLDPOINT_TEST_COUNTS', join(folder, 'counts'));
  try {
    new CiSummary().onTestRunEnd([], ['an error'], 'failed');
    expect(readFileSync(join(folder, 'counts'), 'utf8')).toBe('0 1\n');
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});
