/** A rollback: holds for a decision about taking one commit back, then takes it back in one guarded commit. Nothing is asked of a model, nothing is replanned. */
import { allHandlersFinished, CancellationScope, CancelledFailure, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { OpenedRollback } from '../activities/types.ts';
import type { EpisodeOutcome } from '../contract/outcome.ts';
import { committedEnding, endingOf, endingWithout, refusedEnding, type Ending } from './ending.ts';
import { createHold, type Hold } from './hold.ts';
import { recordRefusals, remind } from './kept-words.ts';
import { episodeProgress, type EpisodeProgress } from './messages.ts';
import { effects, local } from './proxies.ts';
import { progressOf, showDetails, showEnd, showPending } from './visible.ts';

type Run = { readonly rollbackId: string; readonly opened: OpenedRollback; readonly hold: Hold; phase: EpisodeProgress['phase']; readonly step: number };

/**
 * Runs the rollback whose id is the workflow's id; what is proposed, and by whom, is in the request that waits under it. Returns the outcome that the database has
 * confirmed. Cancelled before its commit it closes its op key.
 */
export async function rollback(): Promise<EpisodeOutcome> {
  const rollbackId = workflowInfo().workflowId;
  const hold = createHold();
  let run: Run | null = null;
  setHandler(episodeProgress, () => progressOf(run, hold.state()), { description: 'Where the rollback is and what waits for a decision.' });
  const opened = await CancellationScope.nonCancellable(() => local.openRollback({ rollbackId }));
  run = { rollbackId, opened, hold, phase: 'held', step: opened.step };
  const at = run;
  const ending = await decideAndCommit(at).catch((error: unknown) => endingOf(error, at.step, hold.state().decided));
  hold.close();
  run.phase = 'finishing';
  return finish(run, ending);
}

async function decideAndCommit(run: Run): Promise<Ending> {
  const { rollbackId, opened, hold, step } = run;
  const { request, windowMs, remindAfterMs } = opened;
  hold.open(request, (state) => { showDetails(rollbackId, request, state); });
  showPending(request);
  const decision = await hold.wait({ mode: 'manual', delayMs: 0, rule: 'approve', approver: 'auto', remindAfterMs }, { windowMs, remind: () => remind(request.opKey) });
  if (decision === 'expired' || decision === 'not_authorised') return endingWithout('not_approved', step, { reason: 'proposal_expired', decision: 'expired' });
  if (decision.verdict !== 'approve') return endingWithout('not_approved', step, { reason: 'approval_rejected', decision });
  run.phase = 'committing';
  const outcome = await CancellationScope.nonCancellable(() => effects.commitRollback({ rollbackId, step, decision }));
  if ('ledgerId' in outcome) return committedEnding(step, outcome.ledgerId);
  return outcome.outcome === 'unknown' ? endingWithout('infrastructure_failure', step, { reason: outcome.reason, decision }) : refusedEnding(step, outcome, decision);
}

/** Settles what stands; a cancellation cannot stop it. */
async function finish({ rollbackId, hold }: Run, { outcome: seen, close }: Ending): Promise<EpisodeOutcome> {
  return CancellationScope.nonCancellable(async () => {
    const closed = close === null ? null : await local.closeRollback({ rollbackId, close });
    const outcome: EpisodeOutcome = closed === null || closed.ledgerId === null ? seen : { ...seen, class: 'committed', reason: null, ledgerId: closed.ledgerId };
    showEnd(outcome.class, { outcome, leaked: null }, hold.state().decided?.verdict ?? 'none');
    if (!allHandlersFinished()) await condition(allHandlersFinished);
    await recordRefusals(hold);
    if (outcome.class === 'cancelled') throw new CancelledFailure('The rollback was cancelled before its commit; its op key is closed.');
    return outcome;
  });
}
