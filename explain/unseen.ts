/** Which changes of the world lay between an agent's read and its commit: told by epochs, which are exact, not by clocks. */
import type { BoundaryRow, WorldChange } from '../contract/episode-facts.ts';

/** What others wrote after the epoch that was read and up to the one that was found under the locks, in the order of commits. Empty where a step was not executed. */
export function unseenOf(step: BoundaryRow, changes: readonly WorldChange[]): readonly WorldChange[] {
  const { epochRead, epochFound, opKey } = step;
  if (epochRead === null || epochFound === null) return [];
  return changes.filter((change) => change.opKey !== opKey && BigInt(change.epoch) > BigInt(epochRead) && BigInt(change.epoch) <= BigInt(epochFound));
}
