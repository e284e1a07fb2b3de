/** What a model is told of each case: a world is seeded, what happened before happens, and it is observed, as when a live episode opens. */
import { openWorld } from '../../activities/open-episode.ts';
import type { ProposeRequest } from '../../activities/model/propose.ts';
import type { Pool } from '../../database/pool.ts';
import { planOf } from '../../scenarios/plan.ts';

/** Who may end the observing, and who is told of each case that is observed. */
export type Ties = { readonly signal: AbortSignal; readonly onObserved?: ((done: number, all: number) => void) | undefined };

/** A case as its proposer may know it. */
export type AskedCase = Pick<ProposeRequest, 'tool' | 'instruction' | 'observation'>;

/**
 * Observes each case once, for all models and seeds: no world's id, version or clock is in a prompt. The worlds stay until `holdpoint clean` removes them by age.
 * @returns by case id @throws the signal's reason where it was aborted
 */
export async function observedCases(pool: Pool, caseIds: readonly string[], { signal, onObserved }: Ties): Promise<ReadonlyMap<string, AskedCase>> {
  const cases = new Map<string, AskedCase>();
  for (const caseId of caseIds) {
    signal.throwIfAborted();
    const plan = planOf(caseId);
    const { observation } = await openWorld(pool, plan);
    cases.set(caseId, { tool: plan.tool, instruction: plan.instruction, observation });
    onObserved?.(cases.size, caseIds.length);
  }
  return cases;
}
