/** Runs the replanning layer of an evaluation, from wherever an earlier run left it, to its counts. */
import { join } from 'node:path';
import { replanningCounts, type ReplanningCounts } from '../../../analysis/study/replanning.ts';
import { UserError } from '../../output.ts';
import { cannedModels } from '../../records/plan.ts';
import { plannedDecisions, type Choice } from '../plan.ts';
import { frozenProposals } from '../proposals.ts';
import { begunSettings, refuseOtherSettings } from '../../records/settings.ts';
import { pretty, writeWhole } from '../../records/write-whole.ts';
import type { Evaluation, Lend } from '../run.ts';
import { replanChunks } from './engine.ts';
import { replannedDecisions } from './plan.ts';
import { appendReplans, readReplans, replanFiles, resumeReplans, type TimedReplan } from './records.ts';
import { cannedReplanner, ollamaReplanner } from './replanner.ts';
import { replanSettings, type ReplanSettings } from './settings.ts';

/** Decisions that are written together: one where a model is asked, because a kill must not cost minutes. */
function usualChunkSize({ proposers }: Choice): number {
  return proposers.every((name) => cannedModels.includes(name)) ? 8 : 1;
}

/** A proposer's counts with what can never be the same twice: times. */
export type Replanning = Readonly<Record<string, ReplanningCounts>>;

/**
 * Does what is left in the folder of a finished evaluation, whose settings were checked, and counts all of it by proposer.
 * @throws UserError where the folder's replans are damaged, not the planned ones or were made otherwise, or a proposer cannot be asked
 */
export async function replanAll(evaluation: Omit<Evaluation, 'controllers'>, lend: Lend): Promise<Replanning> {
  const { choice, folder, concurrency, signal, say = () => undefined, chunkSize = usualChunkSize(choice) } = evaluation;
  const proposals = replannedDecisions((await frozenProposals(folder, plannedDecisions(choice))).proposals, choice);
  const settings = replanSettings(choice);
  const begun = await begunSettings(join(folder, replanFiles.settings));
  if (begun !== undefined) refuseOtherSettings(`replanning in ${folder}`, begun, settings);
  const { doneDecisions, cuts } = await resumeReplans(folder, proposals);
  for (const { bytes, sideFile } of cuts) say(`${String(bytes)} bytes behind the last whole replan were cut off into ${sideFile}.`);
  if (doneDecisions < proposals.length) {
    if (begun === undefined) await beginReplans(folder, doneDecisions, settings);
    await lend(async (pool, ollamaHost) => {
      const replanner = ollamaHost === undefined ? cannedReplanner : ollamaReplanner({ pool, ollamaHost, signal });
      let done = doneDecisions;
      evaluation.onProgress?.(done, proposals.length);
      for await (const chunk of replanChunks({ pool, replanner }, { proposals: proposals.slice(doneDecisions), concurrency, chunkSize, signal })) {
        await appendReplans(folder, chunk).catch((error: unknown) => {
          throw new UserError(`The replans cannot be written (${error instanceof Error ? error.message : String(error)}): the same command goes on once they can.`);
        });
        done += chunk.length;
        evaluation.onProgress?.(done, proposals.length);
      }
    });
  }
  const replans = await readReplans(folder);
  await writeWhole(join(folder, replanFiles.summary), pretty(countsOf(choice, replans.map((replan) => ({ ...replan, roundTripMs: null })))));
  return countsOf(choice, replans);
}

/** A folder whose replans are finished stays as it is; what nobody knows the origin of is not added to. */
async function beginReplans(folder: string, doneDecisions: number, settings: ReplanSettings): Promise<void> {
  if (doneDecisions > 0) throw new UserError(`${join(folder, replanFiles.replans)} is not finished, and no ${replanFiles.settings} says how it was begun: remove it to replan anew.`);
  await writeWhole(join(folder, replanFiles.settings), pretty(settings));
}

function countsOf({ proposers }: Pick<Choice, 'proposers'>, replans: readonly TimedReplan[]): Replanning {
  return Object.fromEntries(proposers.map((proposer) => [proposer, replanningCounts(replans.filter((replan) => replan.proposer === proposer))]));
}
