/** The frozen proposals that an evaluation replays: canned ones are made here, a model's come from the file that froze them. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { frozenKey, FrozenProposal } from '../../contract/frozen-proposal.ts';
import { alwaysAct } from '../../activities/model/always-act.ts';
import { planOf } from '../../scenarios/plan.ts';
import { UserError } from '../output.ts';
import { cutAt, problemOf, wholeRecords, type Cut } from '../records/jsonl.ts';
import { cannedModels } from '../records/plan.ts';
import type { PlannedDecision } from './plan.ts';

const fileName = 'proposals.jsonl';

/** The proposals of the planned decisions, in their order, and what a killed writer had left at the end of the file. */
export type Frozen = { readonly proposals: readonly FrozenProposal[]; readonly cut: Cut | null };

/**
 * Reads `proposals.jsonl` in the folder and adds what canned proposers answer. Lines of other proposers, seeds or cases are left alone.
 * @throws UserError where a model's answer is missing, a line is no proposal, or one key has two
 */
export async function frozenProposals(folder: string, decisions: readonly PlannedDecision[]): Promise<Frozen> {
  const path = join(folder, fileName);
  const { known, endsAt } = await readProposals(path);
  const made: FrozenProposal[] = [];
  const missing: PlannedDecision[] = [];
  const proposals = decisions.map((decision) => {
    const found = known.get(frozenKey(decision)) ?? (cannedModels.includes(decision.proposer) ? canned(decision) : undefined);
    if (found === undefined) missing.push(decision);
    else if (!known.has(frozenKey(decision))) made.push(found);
    return found;
  });
  const [first] = missing;
  if (first !== undefined)
    throw new UserError(`${path} has no answer of ${first.proposer} to ${String(missing.length)} of the planned decisions, the first being ${first.caseId} under the seed ${String(first.seed)}: freeze them first, or take --proposer always-act.`);
  const cut = await cutAt(path, endsAt); // not before: where an answer is missing, the file is left to the freeze that goes on with it
  if (made.length > 0) await appendFile(path, made.map((proposal) => `${JSON.stringify(proposal)}\n`).join(''));
  return { proposals: proposals as FrozenProposal[], cut };
}

async function readProposals(path: string): Promise<{ known: Map<string, FrozenProposal>; endsAt: number }> {
  const known = new Map<string, FrozenProposal>();
  let endsAt = 0;
  for await (const line of wholeRecords(path)) {
    const parsed = FrozenProposal.safeParse(line.record);
    if (!parsed.success) throw new UserError(`${path}, line ${String(line.number)} is no frozen proposal: ${problemOf(parsed.error)}.`);
    const key = frozenKey(parsed.data);
    if (known.has(key)) throw new UserError(`${path}, line ${String(line.number)} answers for a second time for ${key}.`);
    known.set(key, parsed.data);
    endsAt = line.endsAt;
  }
  return { known, endsAt };
}

/** A canned proposer says neither how sure it is nor anything else when it is asked again. */
function canned({ caseId, proposer, seed }: PlannedDecision): FrozenProposal {
  const key = { caseId, proposer, digest: null, seed, confidence: null, agreement: null };
  if (proposer !== 'always-act') return { ...key, answer: 'abstain' };
  const { reply } = alwaysAct(planOf(caseId));
  return { ...key, answer: 'act', tool: reply.tool, arguments: reply.arguments };
}
