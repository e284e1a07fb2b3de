/** Reads the replanning layer of an evaluation's folder for a report, and refuses one that is not finished or is damaged. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { decisionKey } from '../../analysis/study/cells.ts';
import type { CountedReplan } from '../../analysis/study/replanning.ts';
import { ReplanKind } from '../../contract/replanned.ts';
import { plannedDecisions } from '../evaluate/plan.ts';
import { replannedDecisions } from '../evaluate/replan/plan.ts';
import { plannedReplans, replanFiles } from '../evaluate/replan/records.ts';
import { UserError } from '../output.ts';
import { wholeRecords } from '../records/jsonl.ts';
import type { ReportSettings } from './read.ts';

/** A decision's times, by what went back; a kind for which no model was asked has none. In milliseconds. */
const TimesLine = z.object({ caseId: z.string(), proposer: z.string(), seed: z.int(), roundTripsMs: z.partialRecord(ReplanKind, z.number().min(0)) });

/** Every replan with its time, or null where the layer was not run. @throws UserError (exit code 2) in one sentence where its files are cut short, damaged or not the planned ones */
export async function readReplanning(folder: string, settings: ReportSettings): Promise<readonly CountedReplan[] | null> {
  const [path, summary] = [join(folder, replanFiles.replans), join(folder, replanFiles.summary)];
  const [size, summarySize] = [await sizeOf(path), await sizeOf(summary)];
  if (size === null && summarySize === null) return null;
  const planned = replannedDecisions(plannedDecisions({ ...settings, proposers: settings.proposers.map(({ name }) => name) }), settings);
  try {
    const times = await readTimes(join(folder, replanFiles.times));
    const replans: CountedReplan[] = [];
    let [done, endsAt] = [0, 0];
    for await (const { outcome, isLast, endsAt: end } of plannedReplans(folder, planned)) {
      const own = times.get(decisionKey(outcome));
      if (own === undefined) throw new UserError(`${join(folder, replanFiles.times)} has no times of ${outcome.caseId}: it is cut short, and what the layer took cannot be had back.`);
      replans.push({ ...outcome, roundTripMs: own[outcome.kind] ?? null });
      endsAt = end;
      if (isLast) done += 1;
    }
    if ((size ?? 0) > endsAt) throw new UserError(`${path} ends in half a line: give its \`holdpoint evaluate --replan\` again.`);
    if (done < planned.length) throw new UserError(`${path} has ${String(done)} whole decisions where its settings plan ${String(planned.length)}: give its \`holdpoint evaluate --replan\` again.`);
    return replans;
  } catch (error) {
    throw error instanceof UserError ? new UserError(error.message, 2) : error; // a damaged folder is a wrong folder to this command
  }
}

async function readTimes(path: string): Promise<ReadonlyMap<string, z.infer<typeof TimesLine>['roundTripsMs']>> {
  const times = new Map<string, z.infer<typeof TimesLine>['roundTripsMs']>();
  let endsAt = 0;
  for await (const line of wholeRecords(path)) {
    const parsed = TimesLine.safeParse(line.record);
    if (!parsed.success) throw new UserError(`${path}, line ${String(line.number)} is no line of times (${parsed.error.issues[0]?.path.join('.') ?? ''}).`);
    times.set(decisionKey(parsed.data), parsed.data.roundTripsMs);
    endsAt = line.endsAt;
  }
  if (((await sizeOf(path)) ?? 0) > endsAt) throw new UserError(`${path} ends in half a line: give its \`holdpoint evaluate --replan\` again.`);
  return times;
}

/** In bytes; null where there is no file. */
const sizeOf = (path: string): Promise<number | null> => stat(path).then((found) => found.size, () => null);
