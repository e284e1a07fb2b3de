/** The replanning layer's files in an evaluation's folder: what came of every replan, and apart from it the times. What a kill leaves is cut to whole decisions and gone on with. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { decisionKey } from '../../../analysis/study/cells.ts';
import { ReplannedOutcome, ReplanKind } from '../../../contract/replanned.ts';
import { UserError } from '../../output.ts';
import { countRecords, cutAt, wholeRecords, type Cut } from '../../records/jsonl.ts';
import type { PlannedDecision } from '../plan.ts';
import { write } from '../records.ts';
import type { ReplannedDecision } from './engine.ts';

/** The files' names. */
export const replanFiles = { settings: 'replan-settings.json', replans: 'replans.jsonl', times: 'replan-times.jsonl', summary: 'replanning.json' } as const;

/** How many decisions an earlier run finished, and what was cut off behind them. */
export type ReplansLeft = { readonly doneDecisions: number; readonly cuts: readonly Cut[] };

/** Finds the decisions that are whole and cuts off the rest: what has no times is not done either. @throws UserError where a line is damaged or is not what the plan says */
export async function resumeReplans(folder: string, decisions: readonly PlannedDecision[]): Promise<ReplansLeft> {
  const times = join(folder, replanFiles.times);
  const timed = (await countRecords(times)).count;
  let [seenDecisions, doneDecisions, endsAt] = [0, 0, 0];
  for await (const replan of plannedReplans(folder, decisions)) {
    if (!replan.isLast) continue;
    seenDecisions += 1;
    if (seenDecisions <= timed) [doneDecisions, endsAt] = [seenDecisions, replan.endsAt];
  }
  const cuts = [await cutAt(join(folder, replanFiles.replans), endsAt), await cutAt(times, (await countRecords(times, doneDecisions)).endsAt)];
  return { doneDecisions, cuts: cuts.filter((cut) => cut !== null) };
}

/** A line that is the planned one. `isLast`: its decision is whole with it. `endsAt`: the offset of the byte after its end. */
export type PlannedReplan = { readonly outcome: ReplannedOutcome; readonly isLast: boolean; readonly endsAt: number };

/** The whole lines of a folder's replans, each compared with the plan. @throws UserError where a line is damaged or is not what the plan says */
export async function* plannedReplans(folder: string, decisions: readonly PlannedDecision[]): AsyncGenerator<PlannedReplan> {
  const path = join(folder, replanFiles.replans);
  let own: ReplannedOutcome[] = [];
  let done = 0;
  for await (const line of wholeRecords(path)) {
    const parsed = ReplannedOutcome.safeParse(line.record);
    if (!parsed.success || !isNext(parsed.data, own, decisions[done])) throw new UserError(`${path}, line ${String(line.number)} is not the replan that is planned there.`);
    own.push(parsed.data);
    const isLast = own.length === kindsOf(parsed.data).length;
    if (isLast) [own, done] = [[], done + 1];
    yield { outcome: parsed.data, isLast, endsAt: line.endsAt };
  }
}

/** The replans that a decision has: a block goes back only where the guard fires. */
function kindsOf({ guardFired }: Pick<ReplannedOutcome, 'guardFired'>): readonly ReplanKind[] {
  return ReplanKind.options.filter((kind) => kind !== 'guardBlock' || guardFired);
}

function isNext(outcome: ReplannedOutcome, before: readonly ReplannedOutcome[], decision: PlannedDecision | undefined): boolean {
  return decision !== undefined && decisionKey(outcome) === decisionKey(decision) && outcome.kind === kindsOf(outcome)[before.length] && before.every(({ guardFired }) => guardFired === outcome.guardFired);
}

/** Writes a chunk behind what is there, times first: whoever has a replan has its times. */
export async function appendReplans(folder: string, chunk: readonly ReplannedDecision[]): Promise<void> {
  const times = chunk.map(({ outcomes: [first], startedAt, roundTripsMs }) => ({ caseId: first?.caseId, proposer: first?.proposer, seed: first?.seed, startedAt, roundTripsMs }));
  await appendLines(join(folder, replanFiles.times), times);
  await appendLines(join(folder, replanFiles.replans), chunk.flatMap(({ outcomes }) => outcomes));
}

async function appendLines(path: string, records: readonly unknown[]): Promise<void> {
  const file = await open(path, 'a');
  try {
    await write(file, records);
  } finally {
    await file.close();
  }
}

/** A replan and how long its question took, in milliseconds; null where no model was asked. */
export type TimedReplan = ReplannedOutcome & { readonly roundTripMs: number | null };

/** Every replan of a folder that is finished, with its time. */
export async function readReplans(folder: string): Promise<TimedReplan[]> {
  const times = new Map<string, Readonly<Record<string, number>>>();
  for await (const { record } of wholeRecords(join(folder, replanFiles.times))) {
    const line = record as PlannedDecision & { readonly roundTripsMs: Readonly<Record<string, number>> };
    times.set(decisionKey(line), line.roundTripsMs);
  }
  const replans: TimedReplan[] = [];
  for await (const { record } of wholeRecords(join(folder, replanFiles.replans))) {
    const outcome = record as ReplannedOutcome;
    replans.push({ ...outcome, roundTripMs: times.get(decisionKey(outcome))?.[outcome.kind] ?? null });
  }
  return replans;
}
