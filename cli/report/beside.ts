/** Reads the folders that stand beside a reported run, and refuses one that cannot be compared with it or adds nothing. */
import { realpath } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Run } from '../../analysis/report/study-view.ts';
import { modelOf } from '../../contract/proposer-name.ts';
import { printable, UserError } from '../output.ts';
import { readRun, type ReportSettings } from './read.ts';

/** Each folder's run, in the given order; a folder that is named twice counts once. @throws UserError (exit code 2) in one sentence */
export async function readBeside(folder: string, settings: ReportSettings, folders: readonly string[]): Promise<Run[]> {
  const seen = new Map<string, { readonly folder: string; readonly settings: ReportSettings }>([[await real(folder), { folder, settings }]]);
  const runs: Run[] = [];
  for (const other of folders) {
    const place = await real(other);
    if (place === (await real(folder))) throw new UserError(`--beside ${printable(other)} is the reported folder itself.`, 2);
    if (seen.has(place)) continue;
    const { settings: own, outcomes } = await readRun(other);
    for (const before of seen.values()) refuseOtherTruth({ folder: other, settings: own }, before);
    seen.set(place, { folder: other, settings: own });
    runs.push({ folder: basename(resolve(other)), seeds: own.seeds, outcomes });
  }
  return runs;
}

type Place = { readonly folder: string; readonly settings: ReportSettings };

/** Under one name, two models; or under one design, other cases: a difference would say nothing. */
function refuseOtherTruth(one: Place, other: Place): void {
  for (const { name, digest } of one.settings.proposers) {
    const namesake = other.settings.proposers.find((own) => modelOf(own.name) === modelOf(name));
    if (namesake === undefined || namesake.digest === digest) continue;
    throw new UserError(`${printable(modelOf(name))} in ${printable(one.folder)} is another model than in ${printable(other.folder)} (${printable(digest ?? 'canned')} and ${printable(namesake.digest ?? 'canned')}): they cannot be compared.`, 2);
  }
  const { design, cases } = one.settings;
  if (design === other.settings.design && cases !== undefined && other.settings.cases !== undefined && cases !== other.settings.cases)
    throw new UserError(`The cases in ${printable(one.folder)} are others than in ${printable(other.folder)}: evaluate both with one version.`, 2);
}

/** @throws UserError (exit code 2) for folders that no table of the report rests on */
export function refuseUnused(unused: readonly Run[]): void {
  const [first] = unused;
  if (first !== undefined) throw new UserError(`--beside ${printable(first.folder)} adds nothing to this run: it has no further seed or proposer, no cautionary prompt and no repeated decoding on decisions that both have.`, 2);
}

/** A folder that is not there is refused by whoever reads it. */
const real = (folder: string): Promise<string> => realpath(folder).catch(() => resolve(folder));
