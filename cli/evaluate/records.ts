/** An evaluation's folder: settings first, then outcomes and times chunk by chunk, the summary last. What a kill leaves is found, cut to whole chunks, and gone on with. */
import { closeSync, openSync, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { UserError } from '../output.ts';
import { countRecords, cutAt, problemOf, wholeRecords, type Cut } from '../records/jsonl.ts';
import type { Evaluated } from './engine.ts';
import { readyDecision, type Act } from './acts.ts';
import type { Run } from './plan.ts';

/** The folder's files. `proposals.jsonl` is the proposals' own business. */
export const fileNames = { settings: 'settings.json', outcomes: 'outcomes.jsonl', times: 'times.jsonl', summary: 'summary.json' } as const;

/** What every line is checked against when a run goes on: the frozen proposals in planned order, and the runs of each proposer, as many for all. */
export type Planned = { readonly proposals: readonly FrozenProposal[]; readonly runsOf: (proposer: string) => readonly Run[]; readonly chunkSize: number };

/** How far an earlier run came: chunks that are whole, and what was cut off behind them. */
export type Left = { readonly doneChunks: number; readonly cuts: readonly Cut[] };

/**
 * Finds the whole chunks and cuts off the rest: what has no times is not done either. Of a line that was written before, everything that does not come from the
 * database is worked out again and compared: what was proposed, what the controller did about it, what that cost.
 * @throws UserError where a line is damaged or is not what the plan says
 */
export async function resume(folder: string, planned: Planned): Promise<Left> {
  const { chunkSize } = planned;
  const expected = expectedActs(planned);
  const timed = (await countRecords(join(folder, fileNames.times))).count;
  let lines = 0;
  let endsAt = 0;
  let doneChunks = 0;
  for await (const line of wholeRecords(join(folder, fileNames.outcomes))) {
    const where = `${join(folder, fileNames.outcomes)}, line ${String(line.number)}`;
    const act = expected.next();
    if (act.done === true) throw new UserError(`${where} is one too many: ${String(lines)} outcomes are planned.`);
    const parsed = EvaluatedOutcome.safeParse(line.record);
    if (!parsed.success) throw new UserError(`${where} is no outcome: ${problemOf(parsed.error)}.`);
    const other = Object.entries(act.value.act.known).find(([field, value]) => parsed.data[field as keyof EvaluatedOutcome] !== value);
    if (other !== undefined) throw new UserError(`${where} is not the outcome that is planned there: ${other[0]} is ${JSON.stringify(parsed.data[other[0] as keyof EvaluatedOutcome])} instead of ${JSON.stringify(other[1])}.`);
    lines += 1;
    const decisionsThere = Math.min(planned.proposals.length, (doneChunks + 1) * chunkSize);
    if (!act.value.isLast || act.value.decision !== decisionsThere || decisionsThere > timed) continue;
    doneChunks += 1;
    endsAt = line.endsAt;
  }
  const times = await countRecords(join(folder, fileNames.times), Math.min(planned.proposals.length, doneChunks * chunkSize));
  const cuts = [await cutAt(join(folder, fileNames.outcomes), endsAt), await cutAt(join(folder, fileNames.times), times.endsAt)];
  return { doneChunks, cuts: cuts.filter((cut) => cut !== null) };
}

/** An act as a line of it must say it; `decision`: the number of its decision, from 1, whose last act it may be. */
type ExpectedAct = { readonly act: Act; readonly decision: number; readonly isLast: boolean };

/** Every act in planned order, worked out as it is asked for. */
function* expectedActs({ proposals, runsOf }: Planned): Generator<ExpectedAct, undefined> {
  for (const [index, proposal] of proposals.entries()) {
    const { acts } = readyDecision(proposal, runsOf(proposal.proposer));
    for (const [place, act] of acts.entries()) yield { act, decision: index + 1, isLast: place === acts.length - 1 };
  }
}

/** The two files that grow. One writer: a run has its folder for itself. */
export type Growing = { append(chunk: readonly Evaluated[]): Promise<void>; close(): Promise<void> };

/** Opens them for more. A chunk is written in one go and is on disk before the next one is counted as done. */
export async function openGrowing(folder: string): Promise<Growing> {
  const outcomes = await open(join(folder, fileNames.outcomes), 'a');
  const times = await open(join(folder, fileNames.times), 'a');
  return {
    async append(chunk) {
      await write(times, chunk.map(timeLine));
      await write(outcomes, chunk.flatMap((evaluated) => evaluated.outcomes));
    },
    async close() {
      await Promise.all([outcomes.close(), times.close()]);
    },
  };
}

/** Appends records to an open file, and is back once they are on disk. */
export async function write(file: FileHandle, records: readonly unknown[]): Promise<void> {
  await file.appendFile(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await file.datasync();
}

function timeLine({ outcomes, startedAt, clock }: Evaluated): unknown {
  const ms = Object.fromEntries(Object.entries(clock.ms).filter(([, value]) => value > 0).map(([part, value]) => [part, Math.round(value * 1000) / 1000]));
  const { caseId, proposer, seed } = outcomes[0] ?? {};
  return { caseId, proposer, seed, startedAt, outcomes: outcomes.length, ms };
}

/** The outcomes of a folder one by one, so that a study of any size can be counted in little memory. */
export function* readOutcomes(folder: string): Generator<EvaluatedOutcome> {
  const file = openSync(join(folder, fileNames.outcomes), 'r');
  try {
    const buffer = Buffer.alloc(1 << 16); // a piece that V8 does not take for a large object: those pile up until a full collection
    let rest = '';
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      const lines = (rest + buffer.toString('latin1', 0, read)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as EvaluatedOutcome;
    }
  } finally {
    closeSync(file);
  }
}
