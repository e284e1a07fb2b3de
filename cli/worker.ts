/** `holdpoint worker`: joins the engine's Temporal and Postgres by environment variables alone, on any machine. */
import { printResult, say, UserError, wholeNumber, type CommandModule } from './output.ts';
import { startSweep } from '../inbox/sweep.ts';
import { sweepEveryMs } from './inbox/open.ts';
import { clientOn } from './runtime/client.ts';
import { findSettings } from './runtime/settings.ts';
import { startWorkers } from './runtime/worker.ts';

type Queue = 'model' | 'commit';
type Options = { queues: Queue[]; commitSlots: number; modelSlots: number; graceMs: number; json?: boolean };

/** Runs until SIGINT or SIGTERM, then takes no more tasks and lets what runs end within the grace time; a second signal ends it at once. Exit code 0 after a drain. */
export const registerWorker: CommandModule = (program) => {
  program
    .command('worker')
    .description('Run a worker: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, DATABASE_URL and OLLAMA_HOST say where to.')
    .option('--queues <names>', 'model, commit, or both', readQueues, ['commit', 'model'])
    .option('--commit-slots <n>', 'database activities at once', wholeNumber('--commit-slots', { min: 1, max: 500 }), 16)
    .option('--model-slots <n>', 'questions to models at once', wholeNumber('--model-slots', { min: 1, max: 100 }), 1)
    .option('--grace-ms <ms>', 'how long a stop waits for what runs', wholeNumber('--grace-ms', { min: 0, max: 600_000 }), 10_000)
    .option('--json', 'print one JSON document when ready')
    .action(run);
};

async function run(options: Options): Promise<void> {
  const settings = await findSettings();
  const workers = await startWorkers({
    settings, queues: options.queues, commitSlots: options.commitSlots, modelSlots: options.modelSlots, graceMs: options.graceMs,
  });
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => {
      say(`Draining: at most ${String(options.graceMs / 1000)} s. Once more ${signal} ends at once.`);
      process.once(signal, () => process.exit(1));
      resolve();
    });
  });
  const sweep = startSweep({ client: clientOn(workers.connection, settings), db: workers.pool }, { everyMs: sweepEveryMs, onError: say });
  printResult(options, { ready: true, pid: process.pid, queues: options.queues, temporal: settings.temporalAddress }, () => `Worker ${String(process.pid)} serves ${options.queues.join(' and ')} at ${settings.temporalAddress}.`);
  try {
    await Promise.race([asked, workers.done]);
  } finally {
    await sweep.stop();
    await workers.stop();
  }
}

function readQueues(text: string): Queue[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  if (names.length === 0 || !names.every((name) => name === 'model' || name === 'commit')) throw new UserError('--queues takes model, commit, or both with a comma between them.', 2);
  return names;
}
