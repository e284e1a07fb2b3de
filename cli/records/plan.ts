/** A run's plan and the flags that choose it: the batch's input, what is hashed into its id, and every episode that it must account for. */
import type { Command } from 'commander';
import { plannedEpisodes } from '../../activities/plan-batch.ts';
import type { PlannedEpisode } from '../../activities/types.ts';
import type { NamedModel } from '../../analysis/summary.ts';
import { BatchInput } from '../../contract/batch-input.ts';
import { digestOf, type Json } from '../../contract/digest.ts';
import { ReplanKind } from '../../contract/replanned.ts';
import { designCells, designs } from '../../scenarios/design.ts';
import { UserError, wholeNumber } from '../output.ts';

/** What a command's flags choose. */
export type RunChoice = {
  readonly design: 'pilot' | 'smoke';
  readonly seed: number;
  readonly window: number;
  /** How often a blocked proposal is made anew. 0 compares the guards on the same proposals; a new one is made of what the guard let through. */
  readonly replans: number;
  /** What goes back to a proposer: a block alone, or evidence once before the first commit. */
  readonly returns: ReplanKind;
};

/** The whole configuration of a run: the batch's input with every default filled in, and the models by digest. */
export type Configuration = { readonly input: BatchInput; readonly models: readonly NamedModel[] };

/** The proposers that need no server. */
export const cannedModels: readonly string[] = ['always-act', 'always-abstain'];

/** Fills the defaults in. The batch's id is not part of it: two runs of one configuration have the same digest. */
export function configure(choice: RunChoice, models: readonly NamedModel[]): Configuration {
  const { design, seed, window, replans, returns } = choice;
  return { input: BatchInput.parse({ design, models: models.map((model) => model.name), seeds: [seed], window, replans, returns }), models };
}

/** SHA-256 of the configuration's canonical form. */
export function configurationDigest(configuration: Configuration): string {
  return digestOf(configuration as unknown as Json);
}

/** Where nobody names the run: its design and the beginning of its configuration's digest, so that a killed run is found again. */
export function defaultRunId(configuration: Configuration): string {
  return `${configuration.input.design}-${configurationDigest(configuration).slice(0, 8)}`;
}

/** Every episode of the run, by the ids that the batch gives them. */
export function planRun(runId: string, input: BatchInput): PlannedEpisode[] {
  return plannedEpisodes(runId, input, (name) => designCells(designs[name]));
}

/** The flags of every command that runs a batch. `models` says which are taken where none are named. */
export function withRunOptions(command: Command, models: string): Command {
  return command
    .option('--design <name>', 'pilot, or smoke for a small one', readDesign, 'pilot')
    .option('--models <names>', `models with commas between them; default: ${models}`, readModels)
    .option('--seed <n>', "the models' seed", wholeNumber('--seed', { min: 0, max: 2 ** 31 - 1 }), 13)
    .option('--run <id>', "the run's name; default: made from its configuration, so that a killed run goes on", readRunId)
    .option('--window <n>', 'most episodes at once', wholeNumber('--window', { min: 1, max: 200 }), 20)
    .option('--replans <n>', 'how often a blocked proposal is made anew; 0 compares the guards on the same proposals', wholeNumber('--replans', { min: 0, max: 5 }), 0)
    .option('--returns <what>', 'what goes back to the proposer: guardBlock, or before the first commit fastEvidence (an ordinary look) or strongEvidence (the true state)', readReturns, 'guardBlock')
    .option('--results <dir>', 'where the run gets its folder', 'results');
}

/** Reads `--run`: it names a workflow and a folder. @throws UserError (exit 2) */
function readRunId(text: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/i.test(text)) throw new UserError('--run takes up to 100 letters, digits, dots, dashes and underscores, beginning with a letter or digit.', 2);
  return text;
}

/** Reads `--models`: names with commas between them. @throws UserError (exit 2) */
function readModels(text: string): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()).filter((name) => name !== ''))];
  if (names.length === 0 || names.length > 20 || names.some((name) => name.length > 100)) throw new UserError('--models takes 1 to 20 names with commas between them, such as smollm2-135m,gemma3-270m.', 2);
  return names;
}

/** Reads `--returns`. @throws UserError (exit 2) */
function readReturns(text: string): ReplanKind {
  const parsed = ReplanKind.safeParse(text);
  if (!parsed.success) throw new UserError(`--returns takes ${ReplanKind.options.join(', ')}.`, 2);
  return parsed.data;
}

/** Reads `--design`. @throws UserError (exit 2) */
function readDesign(text: string): 'pilot' | 'smoke' {
  if (text !== 'pilot' && text !== 'smoke') throw new UserError('--design takes pilot or smoke.', 2);
  return text;
}
