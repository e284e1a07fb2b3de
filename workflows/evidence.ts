/** Evidence that goes back to a proposer once, before anything is asked to be committed: when it is due, and what has to happen before it. */
import { CancellationScope, log } from '@temporalio/workflow';
import type { Block } from '../activities/types.ts';
import type { Evidence } from '../contract/controller.ts';
import type { EpisodeInput } from '../contract/episode-input.ts';
import { effects } from './proxies.ts';

/** What is bought, or null where only a block goes back. Histories from before there was a choice name none. */
export function evidenceOf({ returns }: { readonly returns?: EpisodeInput['returns'] }): Evidence | null {
  if (returns === 'fastEvidence') return 'fast';
  return returns === 'strongEvidence' ? 'strong' : null;
}

/** The last step that may be followed by another: evidence has one of its own, besides those that are made anew after a block. */
export function lastReplanned(input: EpisodeInput): number {
  return input.replans + (evidenceOf(input) === null ? 0 : 1);
}

/** What ends a first step whose proposer is to hear evidence. */
export const evidenceReturned: Block = { reason: 'evidence_returned', expected: 'an answer that knows the evidence', found: 'the first answer' };

/** Lets the transactions through that would race the first commit: evidence is older than a commit, and must not be younger than they are. */
export async function letOthersWrite(episodeId: string, racers: number): Promise<void> {
  if (racers === 0) return;
  await CancellationScope.nonCancellable(() => effects.mutate({ episodeId })).catch(() => { warnUnfired(episodeId); });
}

/** Says in the log that a case's condition did not strike. */
export function warnUnfired(episodeId: string): void {
  log.warn('The racing mutation failed: the condition did not fire.', { episodeId });
}
