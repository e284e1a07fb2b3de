/** `holdpoint evaluate`: replays every controller on every frozen proposal in Postgres, each in a world of its own, and scores what came of it. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { digestOf } from '../contract/digest.ts';
import { modelOf } from '../contract/proposer-name.ts';
import { controllers } from '../guards/controllers/index.ts';
import { designs } from '../scenarios/design.ts';
import { withDatabase } from './evaluate/database.ts';
import { describeEvaluation } from './evaluate/describe.ts';
import { documentOf } from './evaluate/document.ts';
import { usualConcurrency } from './evaluate/engine.ts';
import type { Choice } from './evaluate/plan.ts';
import { replanAll } from './evaluate/replan/run.ts';
import { progressOf } from './evaluate/progress.ts';
import { evaluate, type Lend } from './evaluate/run.ts';
import { onServers } from './evaluate/servers.ts';
import { printable, printResult, UserError, wholeNumber, type CommandModule } from './output.ts';
import { withOwnFolder } from './records/own-folder.ts';
import { cannedModels } from './records/plan.ts';
import { listOf, readDesign, readFolder, readSeeds } from './records/study-flags.ts';
import { listenForEnd } from './start/ending.ts';

type Flags = { design: Choice['design']; proposer: string[]; seeds: number[]; telemetry: Choice['telemetry']; concurrency: number; replan?: boolean; results?: string; json?: boolean; quiet?: boolean };

const examples = `
Every controller acts on every frozen proposal in a world of its own, through the commit of live episodes, in a database that is made for it and dropped at the end.
No COMMIT waits for the disk there (synchronous_commit = off): results live in files. The folder gets settings.json, proposals.jsonl, outcomes.jsonl (the same bytes
for any concurrency), times.jsonl and summary.json. A run that was ended or killed goes on when the same command is given again.

With --replan, fast evidence, strong evidence or a version guard's block goes back to the proposer for two templates a domain under the first seed; the new proposal is
committed unguarded and scored: replan-settings.json, replans.jsonl, replanning.json and, apart, replan-times.jsonl. A model is asked about 3 times a decision, one question at a time.

Under --telemetry both, the degraded profile is run only for controllers whose action it can change: for the others nothing would be different, and their one run
counts under both profiles.

Examples:
  $ holdpoint evaluate --json                              the main design, canned proposals, exact counts
  $ holdpoint evaluate --design pilot --seeds 13           one template a domain, one seed: seconds
  $ holdpoint evaluate --proposer gemma3-270m --results results/gemma
                                                           a model's answers, frozen in results/gemma/proposals.jsonl
  $ holdpoint evaluate --proposer gemma3-270m --results results/gemma --replan
                                                           the same folder goes on with the replanning layer`;

/** Exit code 0 with a summary; 1 where the run ended early; 2 where it was asked for wrongly. */
export const registerEvaluate: CommandModule = (program) => {
  program
    .command('evaluate')
    .description('Replay every controller on every frozen proposal in Postgres, each in its own world, and score what came of it.')
    .option('--design <name>', `which cases: ${Object.keys(designs).join(', ')}`, readDesign, 'main')
    .option('--proposer <names>', 'whose frozen proposals, with commas between them; always-act needs no model', readProposers, ['always-act'])
    .option('--seeds <list>', "the proposers' seeds, with commas between them", readSeeds, [13, 42, 2026])
    .option('--telemetry <profile>', 'canonical, degraded or both', readTelemetry, 'both')
    .option('--concurrency <n>', 'connections that work at once, by default two a core', wholeNumber('--concurrency', { min: 1, max: 64 }), usualConcurrency())
    .option('--replan', 'also give evidence or a block back to the proposers, who answer again; default where none is a model')
    .option('--no-replan', 'leave that out')
    .option('--results <dir>', "the run's folder; default: one in results, named after what is evaluated", readFolder)
    .option('--json', 'print one JSON document')
    .option('--quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(run);
};

async function run(this: Command, flags: Flags): Promise<void> {
  const { design, proposer, seeds, telemetry, concurrency, quiet } = flags;
  const choice: Choice = { design, proposers: proposer, seeds, telemetry };
  const folder = flags.results ?? join('results', `evaluate-${design}-${digestOf({ ...choice }).slice(0, 8)}`);
  const ending = listenForEnd('Interrupted: the same command goes on where this one stopped.', 'its database stays until the same command runs again.');
  const progress = progressOf(quiet === true);
  const replanProgress = progressOf(quiet === true); // its estimate is of other work
  try {
    const lendWith = (models: readonly string[]): Lend => (use) =>
      onServers({ signal: ending.signal, isQuiet: quiet === true, models }, ({ serverUrl, ollamaHost }) => withDatabase({ serverUrl, folder, connections: concurrency }, (pool) => use(pool, ollamaHost)));
    const evaluation = { choice, folder, concurrency, signal: ending.signal, say: progress.say };
    const models = [...new Set(proposer.filter((name) => !cannedModels.includes(name)).map(modelOf))];
    const isReplanned = flags.replan ?? models.length === 0;
    const { finished, replanning } = await withOwnFolder(folder, async () => {
      const finished = await evaluate({ ...evaluation, controllers, onProgress: progress.show }, lendWith([]));
      progress.clear();
      return { finished, replanning: isReplanned ? await replanAll({ ...evaluation, onProgress: replanProgress.show }, lendWith(models)) : null };
    });
    replanProgress.clear();
    printResult(flags, documentOf(finished, replanning), () => describeEvaluation(finished, replanning));
  } finally {
    progress.clear();
    replanProgress.clear();
    ending.release();
  }
}

function readTelemetry(text: string): Choice['telemetry'] {
  if (text !== 'canonical' && text !== 'degraded' && text !== 'both') throw new UserError(`--telemetry takes canonical, degraded or both, not "${printable(text)}".`, 2);
  return text;
}

function readProposers(text: string): string[] {
  const names = listOf(text);
  if (names.length === 0 || names.length > 20 || names.some((name) => name.length > 100 || /[\s\p{Cc}\p{Cf}]/u.test(name))) throw new UserError('--proposer takes 1 to 20 names with commas between them, such as always-act.', 2);
  return names;
}
