/** `holdpoint start`: everything from nothing: servers, database, workers, a batch, its table; then it stays up until it is told to end. */
import type { Client } from '@temporalio/client';
import { createPool } from '../database/pool.ts';
import type { RunningInbox } from '../inbox/server.ts';
import type { Stack } from '../stack/stack.ts';
import { openInbox, portNumber } from './inbox/open.ts';
import { printResult, UserError, type CommandModule } from './output.ts';
import { configure, withRunOptions, type RunChoice } from './records/plan.ts';
import { workflowBundle } from './runtime/bundle.ts';
import { clientOn } from './runtime/client.ts';
import { startWorkers, type RunningWorkers } from './runtime/worker.ts';
import { describeRun } from './start/describe.ts';
import { listenForEnd, type Ending } from './start/ending.ts';
import { createProgress, type Progress } from './start/progress.ts';
import { runBatch, type FinishedRun } from './start/run-batch.ts';
import { bringUp, modelsOf, readyDatabase, settingsOf } from './start/servers.ts';
import { makeFolder } from './records/write.ts';

type Flags = RunChoice & { exit?: boolean; json?: boolean; models?: string[]; run?: string; results: string; batch: boolean; inboxPort?: number };

const examples = `
Examples:
  npm start                                   everything, then stay up until Ctrl-C
  npm start --silent -- --exit --json         one JSON document on standard output, then stop what was started
  holdpoint start --models always-act --exit  without a model server: proposals are canned
  holdpoint start --no-batch                  servers, workers and the inbox only`;

/** Exit code 0 after the table; 1 where something is missing, the batch ended early or every episode failed. Stops what it started, and nothing else. */
export const registerStart: CommandModule = (program) => {
  const command = program
    .command('start')
    .description('Find or start Temporal, Postgres, Ollama and its models, migrate, start the workers, serve the inbox, run the pilot, and stay up.')
    .option('--exit', 'end after the batch and stop what was started')
    .option('--json', 'print one JSON document');
  withRunOptions(command, 'all that can be had')
    .option('--no-batch', 'run no batch')
    .option('--inbox-port <port>', 'where people decide, on the loopback; 0 takes any free one (default: 8265, or any where that is taken; with --exit, no inbox)', portNumber('--inbox-port'))
    .addHelpText('after', examples)
    .action(start);
};

async function start(flags: Flags): Promise<void> {
  const ending = listenForEnd('Interrupted: the same command goes on where this one stopped.', 'servers that were started keep running; `holdpoint stop` ends them.');
  const progress = createProgress();
  workflowBundle().catch(() => undefined); // it takes a second of its own; whoever needs it hears of a failure
  let stack: Stack | undefined;
  try {
    if (flags.batch) await makeFolder(flags.results); // before minutes of work
    stack = await bringUp({ models: flags.models, progress, signal: ending.signal });
    await withWorkers(stack, { flags, progress, ending });
  } finally {
    progress.clear();
    await stack?.stop();
    ending.release();
  }
}

type Parts = { readonly flags: Flags; readonly progress: Progress; readonly ending: Ending };

async function withWorkers(stack: Stack, { flags, progress, ending }: Parts): Promise<void> {
  const models = modelsOf(stack.ollama, flags.models);
  const databaseUrl = await readyDatabase(stack, progress);
  const settings = settingsOf(stack, databaseUrl);
  ending.signal.throwIfAborted();
  const workers = await startWorkers({ settings, queues: ['commit', 'model'] });
  const db = createPool({ url: databaseUrl, max: 4, name: 'holdpoint-start', statementTimeoutMs: 120_000 });
  let inbox: RunningInbox | undefined;
  try {
    progress.say('workers: serving model and commit in this process');
    const { temporal, ollama } = stack;
    const client: Client = clientOn(workers.connection, settings);
    const ui = temporal?.uiUrl === undefined ? undefined : { url: temporal.uiUrl, namespace: temporal.namespace };
    // Whoever asked for the end after the table does not sit there to decide.
    if (flags.exit !== true || flags.inboxPort !== undefined) inbox = await openInbox({ client, databaseUrl, ui, port: flags.inboxPort });
    if (inbox !== undefined) progress.say(`inbox: ${inbox.url} (a token to sign in with: \`npx holdpoint token --help\`)`);
    let finished: FinishedRun | undefined;
    if (flags.batch) {
      const run = {
        configuration: configure(flags, models), runId: flags.run, resultsDir: flags.results, versions: { temporal: temporal?.version ?? null, ollama: ollama?.version ?? null },
        ui,
      };
      finished = await unlessEnded(runBatch({ client, db, settings }, run, progress), { workers, ending });
      const { document } = finished;
      printResult(flags, document, () => describeRun(document));
    } else printResult(flags, { report: null, temporal: settings.temporalAddress, ui: temporal?.uiUrl ?? null, inbox: inbox?.url ?? null, models }, () => `Up: Temporal at ${settings.temporalAddress}, UI at ${temporal?.uiUrl ?? 'an unknown address'}${inbox === undefined ? '' : `, inbox at ${inbox.url}`}.`);
    if (finished?.allFailed === true) throw new UserError(`Every episode failed: open one in the UI, or see ${finished.document.report}.`);
    if (flags.exit === true) return;
    progress.say('Up until Ctrl-C.');
    await Promise.race([ending.asked, workers.done]);
  } finally {
    await inbox?.close();
    await workers.stop();
    await db.end();
  }
}

/** The work's result, or whatever comes before it: a signal to end, or a worker that failed. */
async function unlessEnded<T>(work: Promise<T>, { workers, ending }: { workers: RunningWorkers; ending: Ending }): Promise<T> {
  work.catch(() => undefined); // it may fail after we have stopped listening
  return Promise.race([work, ending.interrupted, workers.done.then((): never => { throw new Error('The workers ended by themselves.'); })]);
}
