/** What every guard would have cost over a batch, as far as it is read: one explanation must stay quick in a batch of any size. */
import { factsOfBatch } from '../../database/facts.ts';
import type { Queryable } from '../../database/pool.ts';
import { addCosts, costsOf, type GuardCost } from '../../explain/costs.ts';

/** Most episodes that one explanation looks at. */
const mostEpisodes = 1_000;

/** `more`: the batch goes on behind what was read. */
export type BatchCosts = { readonly batchId: string; readonly guards: readonly GuardCost[]; readonly more: boolean };

/** Over the batch's first episodes, by their ids' order. */
export async function costsOfBatch(db: Queryable, batchId: string): Promise<BatchCosts> {
  let guards = costsOf([]);
  let read = 0;
  for await (const page of factsOfBatch(db, batchId, 500)) {
    if (read >= mostEpisodes) return { batchId, guards, more: true };
    guards = addCosts(guards, costsOf(page));
    read += page.length;
  }
  return { batchId, guards, more: false };
}
