/** Runs an evaluation in a folder, from wherever an earlier run left it, to its summary. */
import { join } from 'node:path';
import { summarizeInOrder, type StudySummary } from '../../analysis/study/summarize-study.ts';
import type { Controller } from '../../contract/controller.ts';
import type { Pool } from '../../database/pool.ts';
import { UserError } from '../output.ts';
import { begunSettings, refuseOtherSettings } from '../records/settings.ts';
import { makeFolder } from '../records/write.ts';
import { sumOf, type Clock, type Part } from './clock.ts';
import { evaluateChunks } from './engine.ts';
import { withBudget } from './matched-gate.ts';
import { plannedDecisions, plannedRuns, runOnce, type Choice } from './plan.ts';
import { frozenProposals } from './proposals.ts';
import { fileNames, openGrowing, readOutcomes, resume } from './records.ts';
import { pretty, writeWhole } from '../records/write-whole.ts';
import { chosenSettings, settingsOf } from './settings.ts';

/** Decisions that are written together, so what a kill costs at most: about a second. */
const usualChunkSize = 24;

/** What to evaluate, how, and whom to tell. */
export type Evaluation = {
  readonly choice: Choice;
  readonly folder: string;
  readonly controllers: readonly Controller[];
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called after each chunk with the decisions that are done, those of earlier runs included, and once before the first. */
  readonly onProgress?: (done: number, all: number) => void;
  readonly say?: (line: string) => void;
  readonly chunkSize?: number;
};

/** A finished evaluation. `costs` are of this run's own work: wall time and the parts' times a decision's outcome, in milliseconds. */
export type Finished = {
  readonly summary: StudySummary;
  readonly folder: string;
  readonly outcomes: number;
  readonly costs: { readonly outcomes: number; readonly elapsedMs: number; readonly msByPart: Readonly<Record<Part, number>> };
};

/** Lends a migrated database that nobody else uses, and the address of a model server where one is asked. Called only where something is left to do. */
export type Lend = <T>(use: (pool: Pool, ollamaHost?: string) => Promise<T>) => Promise<T>;

/** Evaluates what is left and sums all of it up. @throws UserError where the folder was begun as something else, or cannot be gone on with */
export async function evaluate(evaluation: Evaluation, lend: Lend): Promise<Finished> {
  const { choice, folder, controllers, say = () => undefined, chunkSize = usualChunkSize } = evaluation;
  await makeFolder(folder);
  const decisions = plannedDecisions(choice);
  const begun = await begunSettings(join(folder, fileNames.settings));
  if (begun !== undefined) refuseOtherSettings(`evaluation in ${folder}`, begun, chosenSettings(choice)); // before a proposal of another seed is added to the folder
  const { proposals, cut } = await frozenProposals(folder, decisions);
  const settings = await settingsOf(choice, proposals, controllers);
  if (begun === undefined) await writeWhole(join(folder, fileNames.settings), pretty(settings));
  else refuseOtherSettings(`evaluation in ${folder}`, begun, settings);
  const runs = plannedRuns(controllers, choice.telemetry);
  const matched = new Map(Object.entries(settings.randomGate).map(([proposer, budget]) => [proposer, plannedRuns(withBudget(controllers, budget), choice.telemetry)]));
  const planned = { proposals, runsOf: (proposer: string) => matched.get(proposer) ?? runs, chunkSize };
  const left = await resume(folder, planned);
  for (const { bytes, sideFile } of [...left.cuts, ...(cut === null ? [] : [cut])]) say(`${String(bytes)} bytes behind the last whole chunk were cut off into ${sideFile}.`);
  if (left.doneChunks > 0) say(`${folder} goes on behind ${String(Math.min(decisions.length, left.doneChunks * chunkSize))} of ${String(decisions.length)} decisions.`);
  const work = { ...planned, concurrency: evaluation.concurrency, doneChunks: left.doneChunks, signal: evaluation.signal };
  const costs = left.doneChunks * chunkSize >= decisions.length ? nothing : await lend((pool) => grow(pool, evaluation, work));
  const summary = summarizeInOrder(readOutcomes(folder), { runOnce: runOnce(controllers, choice.telemetry) });
  await writeWhole(join(folder, fileNames.summary), pretty(summary));
  return { summary, folder, outcomes: decisions.length * runs.length, costs };
}

const nothing: Finished['costs'] = { outcomes: 0, elapsedMs: 0, msByPart: sumOf([]) };

async function grow(pool: Pool, { folder, onProgress }: Evaluation, work: Parameters<typeof evaluateChunks>[1]): Promise<Finished['costs']> {
  const all = work.proposals.length;
  const startedMs = performance.now();
  let done = work.doneChunks * work.chunkSize;
  let costs = nothing;
  const files = await openGrowing(folder);
  try {
    onProgress?.(done, all);
    for await (const chunk of evaluateChunks(pool, work)) {
      const writeMs = await append(files, chunk);
      const clocks = [{ ms: costs.msByPart }, { ms: { ...sumOf([]), write: writeMs } }, ...chunk.map(({ clock }): Pick<Clock, 'ms'> => clock)];
      costs = { outcomes: costs.outcomes + chunk.reduce((sum, { outcomes }) => sum + outcomes.length, 0), elapsedMs: performance.now() - startedMs, msByPart: sumOf(clocks) };
      done += chunk.length;
      onProgress?.(done, all);
    }
  } finally {
    await files.close();
  }
  return costs;
}

async function append(files: Awaited<ReturnType<typeof openGrowing>>, chunk: Parameters<typeof files.append>[0]): Promise<number> {
  const startedMs = performance.now();
  await files.append(chunk).catch((error: unknown) => {
    throw new UserError(`The outcomes cannot be written (${error instanceof Error ? error.message : String(error)}): the same command goes on once they can.`);
  });
  return performance.now() - startedMs;
}
