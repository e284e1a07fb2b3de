/** How the tests run: real servers, started once a run and only when asked for. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // The first test that asks for a server waits for it to be made and started.
    hookTimeout: 180_000,
    testTimeout: 30_000,
    // A machine that is busy with the servers answers late; a poll that succeeds waits no longer for it.
    expect: { poll: { timeout: 10_000 } },
    // Each file brings its own database; the servers behind them share the machine's cores.
    maxWorkers: 2,
  },
});
