/** A vitest reporter that leaves the run's counts in a file, `PASSED FAILED`, for whoever started it: see .ci/run. */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** What of a test module is counted. */
export type Counted = { readonly children: { allTests(): Iterable<{ result(): { readonly state: string } }>; allSuites(): Iterable<{ errors(): readonly unknown[] }> }; errors(): readonly unknown[] };

/** Counts tests; a file or group that could not run at all, an error outside every test, and an interrupted run are failures as well. */
export function countsOf(modules: readonly Counted[], end: { readonly unhandled: number; readonly interrupted: boolean }): { passed: number; failed: number } {
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  const broken = modules.flatMap((module) => [module, ...module.children.allSuites()]).filter((part) => part.errors().length > 0).length;
  const failed = states.filter((state) => state === 'failed').length + broken + end.unhandled + (end.interrupted ? 1 : 0);
  return { passed: states.filter((state) => state === 'passed').length, failed };
}

class CiSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[], reason: 'passed' | 'interrupted' | 'failed'): void {
    const { passed, failed } = countsOf(modules, { unhandled: unhandled.length, interrupted: reason === 'interrupted' });
    const file = process.env['HOLDPOINT_TEST_COUNTS'];
    if (file !== undefined) writeFileSync(file, `${String(passed)} ${String(failed)}\n`);
  }
}

// Vitest loads a reporter as a file's default export.
export { CiSummary as default };
