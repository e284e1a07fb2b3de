/** Freezes a design's proposals in a folder, from wherever an earlier run left it. */
import { join } from 'node:path';
import { unloadModel } from '../../activities/model/unload.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { plannedCases } from '../evaluate/plan.ts';
import { pretty, writeWhole } from '../records/write-whole.ts';
import { UserError } from '../output.ts';
import { begunSettings, refuseOtherSettings } from '../records/settings.ts';
import { makeFolder } from '../records/write.ts';
import { answerOf } from './answer.ts';
import { askFor, type Servers } from './ask.ts';
import { observedCases, type AskedCase } from './cases.ts';
import { frozenSoFar, openProposals } from './file.ts';
import { plannedProposals, type FreezeChoice, type PlannedProposal } from './plan.ts';
import { freezeSettings } from './settings.ts';

const fileNames = { settings: 'freeze.json', proposals: 'proposals.jsonl' } as const;

/** How far a freeze is: proposals that are written, of how many, and which is asked next. */
export type Position = { readonly done: number; readonly all: number; readonly next: PlannedProposal | undefined };

/** What to freeze, where, and whom to tell. */
export type Freezing = {
  readonly choice: FreezeChoice;
  readonly folder: string;
  readonly servers: Servers;
  /** Called after each case that was observed, before anything is asked. */
  readonly onObserved?: (done: number, all: number) => void;
  /** Called before the first proposal and after each. */
  readonly onProgress?: (position: Position) => void;
  readonly say?: (line: string) => void;
};

/** What this run spent on a proposer's questions that were not frozen before: decodings, each with its second question where it had one, and milliseconds. */
export type Spent = { readonly decodings: number; readonly elapsedMs: number };

/** A finished freeze. */
export type Finished = { readonly folder: string; readonly proposals: readonly FrozenProposal[]; readonly spent: ReadonlyMap<string, Spent> };

/** Freezes what is left. @throws UserError where the folder was begun as something else or cannot be gone on with, or a model does not answer */
export async function freeze(freezing: Freezing): Promise<Finished> {
  const { choice, folder, servers, say = () => undefined } = freezing;
  await makeFolder(folder);
  const planned = plannedProposals(choice);
  const cases = await observedCases(servers.pool, plannedCases(choice), { signal: servers.signal, onObserved: freezing.onObserved });
  const settings = freezeSettings(choice, cases);
  const begun = await begunSettings(join(folder, fileNames.settings));
  if (begun !== undefined) refuseOtherSettings(`freeze in ${folder}`, begun, settings);
  const path = join(folder, fileNames.proposals);
  const { done, cut } = await frozenSoFar(path, planned);
  if (begun === undefined && done.length > 0) throw new UserError(`${path} has answers already, and no freeze.json says how they were asked: name another folder by --results.`);
  if (begun === undefined) await writeWhole(join(folder, fileNames.settings), pretty(settings));
  if (cut !== null) say(`${String(cut.bytes)} bytes behind the last whole line were cut off into ${cut.sideFile}.`);
  if (done.length > 0) say(`${folder} goes on behind ${String(done.length)} of ${String(planned.length)} proposals.`);
  return { folder, ...(await grow(freezing, { planned, cases, done })) };
}

type Work = { readonly planned: readonly PlannedProposal[]; readonly cases: ReadonlyMap<string, AskedCase>; readonly done: readonly FrozenProposal[] };

/** Each answer is on disk before the next is asked for. */
async function grow(freezing: Freezing, work: Work): Promise<Omit<Finished, 'folder'>> {
  const proposals = [...work.done];
  const spent = new Map<string, Spent>();
  const file = await openProposals(join(freezing.folder, fileNames.proposals));
  const show = (): void => freezing.onProgress?.({ done: proposals.length, all: work.planned.length, next: work.planned[proposals.length] });
  try {
    show();
    for await (const { proposal, asked, elapsedMs } of answers(freezing, work)) {
      await file.append(proposal);
      proposals.push(proposal);
      const before = spent.get(proposal.proposer) ?? { decodings: 0, elapsedMs: 0 };
      if (asked > 0) spent.set(proposal.proposer, { decodings: before.decodings + asked, elapsedMs: before.elapsedMs + elapsedMs });
      show();
    }
  } finally {
    await file.close();
  }
  return { proposals, spent };
}

type Answered = { readonly proposal: FrozenProposal; readonly asked: number; readonly elapsedMs: number };

/** The answers that are left, in order. A model leaves the server's memory before the next one enters it. */
async function* answers({ choice, servers }: Freezing, { planned, cases, done }: Work): AsyncGenerator<Answered> {
  let resident: string | undefined;
  const letGo = async (): Promise<void> => {
    if (resident !== undefined) await unloadModel(servers.ollamaHost, resident);
    resident = undefined;
  };
  try {
    for (const one of planned.slice(done.length)) {
      servers.signal.throwIfAborted();
      if (resident !== one.model.name) await letGo();
      const asked = cases.get(one.caseId);
      if (asked === undefined) throw new TypeError(`The case ${one.caseId} was not observed.`);
      const startedMs = performance.now();
      const answer = await answerOf({ planned: one, asked, repeat: choice.repeat, caution: choice.caution }, (request) => askFor(servers, request));
      if (answer.asked > 0) resident = one.model.name;
      yield { ...answer, elapsedMs: performance.now() - startedMs };
    }
  } finally {
    await letGo();
  }
}
