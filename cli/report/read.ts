/** Reads an evaluation's folder for a report, and refuses one that is none, is not finished, or is damaged. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Controller } from '../../contract/controller.ts';
import { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { designs } from '../../scenarios/design.ts';
import { plannedDecisions, plannedRuns, type Choice } from '../evaluate/plan.ts';
import { fileNames } from '../evaluate/records.ts';
import { printable, UserError } from '../output.ts';
import { problemOf, wholeRecords } from '../records/jsonl.ts';

/** What a report needs of `settings.json`; the other fields are the evaluation's own business. */
const Settings = z.object({
  format: z.literal(1), design: z.enum(Object.keys(designs) as [Choice['design'], ...Choice['design'][]]),
  proposers: z.array(z.object({ name: z.string().min(1).max(100), digest: z.string().nullable() })).min(1),
  seeds: z.array(z.int().min(0)).min(1), telemetry: z.enum(['canonical', 'degraded', 'both']), controllers: z.array(z.string()).min(1),
  /** Of what is asked and true. */
  cases: z.string().optional(),
});
export type ReportSettings = z.infer<typeof Settings>;

/** The controllers that were run. */
export const controllersOf = (settings: Pick<ReportSettings, 'controllers'>): Controller[] => controllers.filter(({ name }) => settings.controllers.includes(name));

/** @throws UserError (exit code 2) in one sentence where the folder is no evaluation, or not a whole one */
export async function readRun(folder: string): Promise<{ readonly settings: ReportSettings; readonly outcomes: readonly EvaluatedOutcome[] }> {
  const settings = await readSettings(folder);
  const path = join(folder, fileNames.outcomes);
  const outcomes: EvaluatedOutcome[] = [];
  let endsAt = 0;
  for await (const line of recordsOf(path)) {
    const parsed = EvaluatedOutcome.safeParse(line.record);
    if (!parsed.success) throw refusal(`${path}, line ${String(line.number)} is no outcome: ${printable(problemOf(parsed.error))}`);
    outcomes.push(parsed.data);
    endsAt = line.endsAt;
  }
  const size = await stat(path).then((found) => found.size, () => 0);
  if (outcomes.length === 0) throw refusal(`${printable(folder)} has no outcomes: give its \`holdpoint evaluate\` again`);
  if (size > endsAt) throw refusal(`${path} ends in half a line: give its \`holdpoint evaluate\` again, which goes on behind the last whole chunk`);
  refuseUnfinished(folder, settings, outcomes);
  return { settings, outcomes };
}

/** A damaged line is a wrong folder to this command: nothing is wrong with the command itself. */
async function* recordsOf(path: string): ReturnType<typeof wholeRecords> {
  try {
    yield* wholeRecords(path);
  } catch (error) {
    throw error instanceof UserError ? new UserError(error.message, 2) : error;
  }
}

/** Compared with the plan, so that a file that was cut between two lines does not look whole. */
function refuseUnfinished(folder: string, settings: ReportSettings, outcomes: readonly EvaluatedOutcome[]): void {
  const planned = plannedDecisions({ ...settings, proposers: settings.proposers.map(({ name }) => name) });
  const runs = plannedRuns(controllersOf(settings), settings.telemetry);
  const all = planned.length * runs.length;
  if (outcomes.length !== all) throw refusal(`${printable(folder)} has ${String(outcomes.length)} outcomes where its settings plan ${String(all)}: give its \`holdpoint evaluate\` again`);
  const odd = outcomes.findIndex(({ caseId, proposer, seed, controller, telemetry }, n) => {
    const [decision, run] = [planned[Math.floor(n / runs.length)], runs[n % runs.length]];
    return caseId !== decision?.caseId || proposer !== decision.proposer || seed !== decision.seed || controller !== run?.controller.name || telemetry !== run.telemetry;
  });
  if (odd >= 0) throw refusal(`${join(folder, fileNames.outcomes)}, line ${String(odd + 1)} is not the outcome that is planned there`);
}

async function readSettings(folder: string): Promise<ReportSettings> {
  const path = join(folder, fileNames.settings);
  const text = await readFile(path, 'utf8').catch(() => { throw refusal(`${printable(folder)} is no evaluation: it has no ${fileNames.settings}`); });
  try {
    return Settings.parse(JSON.parse(text));
  } catch {
    throw refusal(`${path} is not what \`holdpoint evaluate\` writes`);
  }
}

const refusal = (sentence: string): UserError => new UserError(`${sentence}.`, 2);
