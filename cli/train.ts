/** `holdpoint train`: makes the learned router's weights anew from a real evaluation of the development templates. */
import { access, constants, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { SupportWeights } from '../guards/controllers/support-weights.ts';
import { withDatabase } from './evaluate/database.ts';
import { usualConcurrency } from './evaluate/engine.ts';
import { progressOf } from './evaluate/progress.ts';
import { onServers } from './evaluate/servers.ts';
import { printable, printResult, UserError, wholeNumber, type CommandModule } from './output.ts';
import { withOwnFolder } from './records/own-folder.ts';
import { pretty, writeWhole } from './records/write-whole.ts';
import { listenForEnd } from './start/ending.ts';
import { defaultStateDir } from '../stack/stack.ts';
import { trainedWeights } from './train/weights.ts';

type Flags = { output: string; concurrency: number; json?: boolean; quiet?: boolean };

const shipped = fileURLToPath(new URL('../guards/controllers/support-weights.json', import.meta.url));

/** Names the database: the same in every run, so that the next one drops what a killed one left. */
const databaseOf = 'holdpoint-train';

const examples = `
Replays always-act's proposals for the eight development templates under always-execute and always-fast, canonical telemetry, in a database that is made for it and
dropped at the end, and counts the outcomes by what a router may see. No held-out template and no degraded telemetry is looked at.

Examples:
  $ holdpoint train                                  writes the weights that the support router has from its next start on
  $ holdpoint train --output weights.json            only to look at them`;

/** Exit code 0 once the file is written; 1 where the run ended early; 2 where it was asked for wrongly. */
export const registerTrain: CommandModule = (program) => {
  program
    .command('train')
    .description("Make the learned router's weights anew, from a real evaluation of the development templates.")
    .option('--output <file>', 'where to write them; default: the file that the router reads', shipped)
    .option('--concurrency <n>', 'connections that work at once, by default two a core', wholeNumber('--concurrency', { min: 1, max: 64 }), usualConcurrency())
    .option('--json', 'print one JSON document')
    .option('--quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(run);
};

async function run(this: Command, flags: Flags): Promise<void> {
  const { output, concurrency } = flags;
  await refuseUnwritable(output);
  const isQuiet = flags.quiet === true;
  const ending = listenForEnd('Interrupted: no weights were written.', 'its database stays until the same command runs again.');
  const progress = progressOf(isQuiet);
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-train-'));
  try {
    const weights = await withOwnFolder(join(defaultStateDir(), databaseOf), () => trainedWeights({ folder, concurrency, signal: ending.signal, onProgress: progress.show, say: progress.say }, (use) =>
      onServers({ signal: ending.signal, isQuiet, models: [] }, ({ serverUrl }) => withDatabase({ serverUrl, folder: databaseOf, connections: concurrency }, use))));
    const before = await readFile(output, 'utf8').catch(() => '');
    await writeWhole(output, pretty(weights)).catch((error: unknown) => { throw new UserError(`The weights cannot be written to ${output} (${error instanceof Error ? error.message : String(error)}): name another file by --output.`); });
    const changed = before !== (await readFile(output, 'utf8'));
    progress.clear();
    printResult(flags, { output, changed, ...weights }, () => describe(weights, `${output}: ${changed ? 'written' : 'as it was'}`));
  } finally {
    progress.clear();
    ending.release();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Before a minute of work, not after it. @throws UserError (exit 2) */
async function refuseUnwritable(output: string): Promise<void> {
  const isFolder = await stat(output).then((found) => found.isDirectory(), () => false);
  const canWrite = await access(dirname(resolve(output)), constants.W_OK).then(() => true, () => false);
  if (isFolder || !canWrite) throw new UserError(`--output takes a file in a folder that can be written, not "${printable(output)}".`, 2);
}

function describe({ provenance, cells }: SupportWeights, where: string): string {
  const lines = cells.map((cell) => `${cell.ageBucket} ${cell.status}: of ${String(cell.n)}, executed ${String(cell.unsafeAfterExecute)} unsafe and ${String(cell.failedAfterExecute)} failed; `
    + `after fast evidence ${String(cell.unsafeAfterFast)} unsafe, ${String(cell.failedAfterFast)} failed, ${String(cell.blockedAfterFast)} blocked`);
  return [...lines, `${String(provenance.decisions)} decisions of ${provenance.templates.join(', ')}`, where].join('\n');
}
