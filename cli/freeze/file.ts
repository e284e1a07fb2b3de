/** `proposals.jsonl` of a freeze: line by line in planned order, on disk before the next question, and gone on with behind its last whole line. */
import { open } from 'node:fs/promises';
import { frozenKey, FrozenProposal } from '../../contract/frozen-proposal.ts';
import { UserError } from '../output.ts';
import { cutAt, problemOf, wholeRecords, type Cut } from '../records/jsonl.ts';
import type { PlannedProposal } from './plan.ts';

/** The proposals that an earlier run wrote, and what it left half done behind them. */
export type Left = { readonly done: readonly FrozenProposal[]; readonly cut: Cut | null };

/**
 * Reads the planned lines. Those of other proposers, such as the canned ones that an evaluation adds, are passed over.
 * @throws UserError naming a line that is damaged, not the planned one, or of another model
 */
export async function frozenSoFar(path: string, planned: readonly PlannedProposal[]): Promise<Left> {
  const own = new Set(planned.map(({ proposer }) => proposer));
  const done: FrozenProposal[] = [];
  let endsAt = 0;
  for await (const line of wholeRecords(path)) {
    endsAt = line.endsAt;
    const where = `${path}, line ${String(line.number)}`;
    const parsed = FrozenProposal.safeParse(line.record);
    if (!parsed.success) throw new UserError(`${where} is no frozen proposal: ${problemOf(parsed.error)}.`);
    const proposal = parsed.data;
    if (!own.has(proposal.proposer)) continue;
    const expected = planned[done.length];
    if (expected === undefined || frozenKey(proposal) !== frozenKey(expected)) throw new UserError(`${where} is not the proposal that is planned there: keep one freeze a folder.`);
    if (proposal.digest !== expected.model.digest) throw new UserError(`${where} has another model: digest was ${JSON.stringify(proposal.digest)} and is ${JSON.stringify(expected.model.digest)} now.`);
    done.push(proposal);
  }
  return { done, cut: await cutAt(path, endsAt) };
}

/** The file as it grows. One writer: a freeze has its folder for itself. */
export type Growing = { append(proposal: FrozenProposal): Promise<void>; close(): Promise<void> };

/** Opens it for more. `append` throws a UserError where the disk takes no more. */
export async function openProposals(path: string): Promise<Growing> {
  const file = await open(path, 'a');
  return {
    async append(proposal) {
      try {
        await file.appendFile(`${JSON.stringify(proposal)}\n`);
        await file.datasync();
      } catch (error) {
        throw new UserError(`The proposals cannot be written (${error instanceof Error ? error.message : String(error)}): the same command goes on once they can.`);
      }
    },
    close: () => file.close(),
  };
}
