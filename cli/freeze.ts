/** `holdpoint freeze`: asks models for a design's proposals and keeps them for evaluations. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { digestOf } from '../contract/digest.ts';
import { designs } from '../scenarios/design.ts';
import { roleUrl } from '../database/role-url.ts';
import { createPool } from '../database/pool.ts';
import type { OllamaPart } from '../stack/stack.ts';
import { describeFreeze, documentOf } from './freeze/describe.ts';
import type { FreezeChoice, PinnedModel } from './freeze/plan.ts';
import { freezeProgress } from './freeze/progress.ts';
import { freeze, type Finished } from './freeze/run.ts';
import { printable, printResult, UserError, wholeNumber, type CommandModule } from './output.ts';
import { withOwnFolder } from './records/own-folder.ts';
import { cannedModels } from './records/plan.ts';
import { listOf, readDesign, readFolder, readSeeds } from './records/study-flags.ts';
import { listenForEnd } from './start/ending.ts';
import { createProgress, type Progress } from './start/progress.ts';
import { bringUp, modelsOf, readyDatabase } from './start/servers.ts';

type Flags = Pick<FreezeChoice, 'design' | 'seeds' | 'repeat'> & { models?: string[]; caution?: boolean; results?: string; json?: boolean; quiet?: boolean };

const examples = `
Each case is observed as a live episode observes it, and each model is asked once a case and seed, with the very prompt of live episodes; one model at a time is in memory.
The folder gets freeze.json (what was asked of whom, by digest) and proposals.jsonl, one line a proposal in planned order, abstentions and failures included.
No question is asked twice: replies are kept in the database. A run that was ended or killed goes on, to the same bytes, when the same command is given again; where
a model, the prompt or the replies' schema has changed since, it is refused.

Examples:
  $ holdpoint freeze --design smoke --models smollm2-135m --seeds 13   8 proposals, seconds
  $ holdpoint freeze --results results/main                            the main design, every model that is there, three seeds
  $ holdpoint freeze --design pilot --repeat 4 --results results/again four more decodings of each, for the agreement gate
  $ holdpoint freeze --design pilot --caution --results results/caution
  $ holdpoint evaluate --proposer smollm2-135m --results results/main  replays what was frozen`;

/** Exit code 0 with every proposal frozen; 1 where the run ended early; 2 where it was asked for wrongly. */
export const registerFreeze: CommandModule = (program) => {
  program
    .command('freeze')
    .description("Ask models for a design's proposals and keep them for evaluations.")
    .option('--design <name>', `which cases: ${Object.keys(designs).join(', ')}`, readDesign, 'main')
    .option('--models <names>', 'which models of Ollama, with commas between them; default: those of ours that it has', readModels)
    .option('--seeds <list>', 'with commas between them', readSeeds, [13, 42, 2026])
    .option('--repeat <n>', 'further decodings of each proposal, under seeds of their own', wholeNumber('--repeat', { min: 0, max: 20 }), 0)
    .option('--caution', 'tell the model to consider staleness, ambiguous commits and concurrency; its answers are those of a proposer named <model>+caution')
    .option('--results <dir>', "the run's folder; default: one in results, named after what is frozen", readFolder)
    .option('--json', 'print one JSON document')
    .option('--quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(run);
};

const silent: Progress = { say: () => undefined, show: () => undefined, clear: () => undefined };

async function run(this: Command, flags: Flags): Promise<void> {
  const ending = listenForEnd('Interrupted: the same command goes on where this one stopped.', 'servers that it started may still run; `holdpoint stop` ends them.');
  const progress = flags.quiet === true ? silent : createProgress();
  try {
    const { choice, finished } = await onServers(flags, progress, ending.signal);
    progress.clear();
    const document = documentOf(choice, finished);
    printResult(flags, document, () => describeFreeze(document));
  } finally {
    progress.clear();
    ending.release();
  }
}

/** On the servers that are there (DATABASE_URL, OLLAMA_HOST, or what `start` left running), or on some that are started for this and stopped again. */
async function onServers(flags: Flags, progress: Progress, signal: AbortSignal): Promise<{ choice: FreezeChoice; finished: Finished }> {
  const stack = await bringUp({ models: flags.models, progress, signal, withoutTemporal: true });
  try {
    const models = pinned(stack.ollama, flags.models);
    const choice: FreezeChoice = { design: flags.design, seeds: flags.seeds, repeat: flags.repeat, caution: flags.caution === true, models };
    const folder = flags.results ?? join('results', `freeze-${flags.design}-${digestOf({ ...choice, models: models.map(({ name }) => name) }).slice(0, 8)}`);
    const pool = createPool({ url: roleUrl(await readyDatabase(stack, progress), 'holdpoint_worker'), max: 3, name: 'holdpoint-freeze' });
    try {
      const servers = { pool, ollamaHost: stack.ollama?.host ?? '', signal };
      return { choice, finished: await withOwnFolder(folder, () => freeze({ choice, folder, servers, ...freezeProgress(progress), say: (line) => { progress.say(line); } })) };
    } finally {
      await pool.end();
    }
  } finally {
    await stack.stop();
  }
}

/** By digest; in the order in which they were named, else by name: a server lists its models in the order of their making. */
function pinned(ollama: OllamaPart | undefined, wanted: readonly string[] | undefined): PinnedModel[] {
  const models = modelsOf(ollama, wanted).flatMap(({ name, digest }) => (digest === null ? [] : [{ name, digest }]));
  return wanted === undefined ? models.sort((a, b) => (a.name < b.name ? -1 : 1)) : models;
}

function readModels(text: string): string[] {
  const names = [...new Set(listOf(text).map((name) => name.replace(/:latest$/, '')))];
  if (names.length === 0) throw new UserError('--models takes names with commas between them, such as smollm2-135m,gemma3-270m.', 2);
  const wrong = names.find((name) => name.length > 90 || /[\s\p{Cc}+]/u.test(name));
  if (wrong !== undefined) throw new UserError(`--models takes names of models, not "${printable(wrong)}".`, 2);
  const canned = names.find((name) => cannedModels.includes(name));
  if (canned !== undefined) throw new UserError(`${canned} needs no freeze: \`holdpoint evaluate --proposer ${canned}\` makes its proposals itself.`, 2);
  return names;
}
