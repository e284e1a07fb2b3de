/** `holdpoint run`: one batch on servers and workers that are there already, found by environment variables alone. */
import { createPool } from '../database/pool.ts';
import type { NamedModel } from '../analysis/summary.ts';
import { listModels, ollamaVersion } from '../stack/ollama-api.ts';
import { plainName } from '../stack/models.ts';
import { printResult, say, UserError, type CommandModule } from './output.ts';
import { cannedModels, configure, withRunOptions, type RunChoice } from './records/plan.ts';
import { connect } from './runtime/client.ts';
import { requireMigrated } from './runtime/migrated.ts';
import { queueNames, findSettings, type Settings } from './runtime/settings.ts';
import { describeRun } from './start/describe.ts';
import { listenForEnd } from './start/ending.ts';
import { createProgress } from './start/progress.ts';
import { runBatch } from './start/run-batch.ts';
import { serverVersion, warnWithoutWorkers } from './start/temporal-facts.ts';

type Flags = RunChoice & { json?: boolean; models?: string[]; run?: string; results: string };

const examples = `
Examples:
  holdpoint run --design smoke --models always-act
  holdpoint run --design pilot --returns strongEvidence      each proposer hears what its action needs, and decides again
  TEMPORAL_ADDRESS=temporal:7233 DATABASE_URL=postgres://… OLLAMA_HOST=http://ollama:11434 holdpoint run`;

/** Exit code 0 after the table; 1 where a server is missing, the batch ended early or every episode failed. Starts and stops nothing. */
export const registerRun: CommandModule = (program) => {
  const command = program
    .command('run')
    .description('Run a batch on the Temporal, Postgres and workers that are there, and write its records.')
    .option('--json', 'print one JSON document');
  withRunOptions(command, 'all that OLLAMA_HOST has')
    .addHelpText('after', examples)
    .action(run);
};

async function run(flags: Flags): Promise<void> {
  const settings = await findSettings();
  const ending = listenForEnd('Interrupted: the batch goes on by itself; the same command joins it and writes its records.', 'the batch goes on by itself.');
  await requireMigrated(settings.databaseUrl);
  const db = createPool({ url: settings.databaseUrl, max: 4, name: 'holdpoint-run', statementTimeoutMs: 120_000 });
  try {
    const models = await modelsAt(settings, flags.models);
    const line = await connect(settings);
    const { client } = line;
    try {
      await warnWithoutWorkers(client, queueNames(settings.queuePrefix), say);
      const ui = process.env['TEMPORAL_UI_URL'];
      const batchRun = {
        configuration: configure(flags, models), runId: flags.run, resultsDir: flags.results,
        versions: { temporal: await serverVersion(client), ollama: await ollamaVersion(settings.ollamaHost, 3_000).catch(() => null) },
        ui: ui === undefined || ui === '' ? undefined : { url: ui.replace(/\/+$/, ''), namespace: settings.temporalNamespace },
      };
      const { document, allFailed } = await Promise.race([runBatch({ client, db, settings }, batchRun, createProgress()), ending.interrupted]);
      printResult(flags, document, () => describeRun(document));
      if (allFailed) throw new UserError(`Every episode failed: open one in the UI, or see ${document.report}.`);
    } finally {
      await line.close();
    }
  } finally {
    await db.end();
    ending.release();
  }
}

/** The wanted models with their digests, as far as Ollama can be asked from here: the workers ask it from where they are. */
async function modelsAt({ ollamaHost }: Settings, wanted: readonly string[] | undefined): Promise<NamedModel[]> {
  const had = await listModels(ollamaHost).catch(() => undefined);
  if (wanted === undefined) {
    if (had === undefined) throw new UserError(`No Ollama answers at ${ollamaHost} to tell its models: set OLLAMA_HOST, or name them by --models.`);
    if (had.length === 0) throw new UserError(`The Ollama at ${ollamaHost} has no model: put one there with \`ollama pull\`, or try --models always-act, which needs none.`);
    return had.map(({ name, digest }) => ({ name, digest }));
  }
  return wanted.map((name) => {
    const found = cannedModels.includes(name) ? undefined : had?.find((model) => model.name === plainName(name));
    if (found === undefined && had !== undefined && !cannedModels.includes(name)) throw new UserError(`The Ollama at ${ollamaHost} has no model ${name}.`);
    return { name: found?.name ?? name, digest: found?.digest ?? null };
  });
}
