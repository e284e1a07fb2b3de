/** One episode: observe, propose, hold for a decision, commit under a guard while others write, settle, score, record. */
import { allHandlersFinished, CancellationScope, CancelledFailure, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Block, Committed, EditRef, Finished, Opened, Proposed } from '../activities/types.ts';
import type { Approval } from '../contract/approval.ts';
import type { Evidence } from '../contract/controller.ts';
import type { EpisodeInput, EpisodeInputGiven } from '../contract/episode-input.ts';
import { failures } from '../contract/failures.ts';
import type { EpisodeOutcome } from '../contract/outcome.ts';
import { editRef, failedClass, wasEdited } from './edit.ts';
import { committedEnding, endingOf, endingWithout, refusedEnding, type Ending } from './ending.ts';
import { evidenceOf, evidenceReturned, lastReplanned, letOthersWrite, warnUnfired } from './evidence.ts';
import type { HoldState } from './decision-reducer.ts';
import { createHold, type Hold } from './hold.ts';
import { recordRefusals, remind } from './kept-words.ts';
import { episodeProgress, type EpisodeProgress } from './messages.ts';
import { effects, local, proposing } from './proxies.ts';
import { progressOf, showDetails, showEnd, showPending } from './visible.ts';

type Run = { readonly episodeId: string; readonly input: EpisodeInput; readonly opened: Opened; readonly hold: Hold; phase: EpisodeProgress['phase']; step: number; edits: number; edit: EditRef | null };

/**
 * Runs one episode; its id is the workflow's id. Returns the outcome that the database has confirmed. Cancelled before its commit it closes its op key and
 * ends as cancelled; a commit that was faster than the cancellation ends as committed.
 */
export async function episode(given?: EpisodeInputGiven): Promise<EpisodeOutcome> {
  const episodeId = workflowInfo().workflowId;
  const hold = createHold();
  let run: Run | null = null;
  setHandler(episodeProgress, () => progressOf(run, hold.state()), { description: 'Where the episode is and what waits for a decision.' });

  const opened = await CancellationScope.nonCancellable(() => local.openEpisode({ episodeId, given: given ?? {} }));
  if (opened.ended !== null) return opened.ended;
  run = { episodeId, input: opened.input, opened, hold, phase: 'proposing', step: opened.step, edits: 0, edit: null };
  const ending = await runSteps(run);
  hold.close();
  run.phase = 'finishing';
  return finish(run, ending);
}

async function runSteps(run: Run): Promise<Ending> {
  const { opened, input, hold } = run;
  if (opened.committed !== null) return committedEnding(run.step, opened.committed);
  let block: Block | null = null;
  for (;;) {
    const result: Ending | Block = await runStep(run, block).catch((error: unknown) => endingOf(error, run.step, hold.state().decided));
    if ('outcome' in result) return result;
    // An edit is a person's, and takes nothing of what the model may do again.
    if (result !== wasEdited && made(run) > lastReplanned(input)) return endingWithout('refused', run.step, { reason: result.reason });
    // A decision is recorded with the commit; where contention outlasted that, nothing was, and what a person said must not be lost.
    const decision = result === wasEdited || result.reason === 'contention_exhausted' ? hold.state().decided : null;
    run.edit = editRef(decision, run.edit);
    hold.suspend();
    const evidence: Evidence | null = result === evidenceReturned ? evidenceOf(input) : null;
    if (evidence !== null) await letOthersWrite(run.episodeId, opened.racers);
    const close = { step: run.step, reason: result.reason, decision };
    const closed = await CancellationScope.nonCancellable(() => local.reobserve({ episodeId: run.episodeId, close, ...(evidence !== null && { evidence }) }));
    if (closed.ledgerId !== null) return committedEnding(run.step, closed.ledgerId);
    // What the evidence shows waits beside the new read, so that a second run tells the same.
    block = evidence === null && result !== wasEdited ? result : null;
    run.edits += Number(result === wasEdited);
    run.step += 1;
  }
}

/** One proposal's way. Returns the end, or the block after which a new proposal may be made: `evidenceReturned` where its proposer is to hear evidence first. */
async function runStep(run: Run, block: Block | null): Promise<Ending | Block> {
  const { episodeId, input, hold, step } = run;
  run.phase = 'proposing';
  // What the forked history has before the commit comes before anything is asked, so that a long history takes nothing of the approval's window.
  if (isFork(input) && run.opened.racers > 0) await effects.mutate({ episodeId });
  const edited = run.edit === null ? {} : { edit: run.edit };
  const proposed = await proposing(run.edit === null && !isFork(input) ? input.model : null).propose({ episodeId, step, windowMs: input.windowMs, block, ...edited });
  // Whatever was answered: one who left it may take it up. A step that an earlier run had closed was closed for this, or before it.
  if (step === 1 && evidenceOf(input) !== null) return evidenceReturned;
  if (proposed.kind === 'closed') return { reason: 'op_key_closed', expected: 'an open op key', found: 'one that an earlier run had closed' };
  if (proposed.kind === 'abstain') return endingWithout('abstained', step, { reason: null });
  if (proposed.kind === 'failed') return endingWithout(failedClass(proposed, run.edit), step, { reason: proposed.reason });
  const decision = await decide(run, proposed);
  if (decision === 'expired') return endingWithout('not_approved', step, { reason: 'proposal_expired', decision });
  if (decision === 'not_authorised') return endingWithout('not_approved', step, { reason: decision });
  if (decision.verdict === 'edit') return wasEdited;
  if (decision.verdict !== 'approve') return endingWithout('not_approved', step, { reason: 'approval_rejected', decision });
  run.phase = 'committing';
  const outcome = await commitAmongOthers(run, decision);
  if ('ledgerId' in outcome) return committedEnding(step, outcome.ledgerId, outcome.ended);
  if (outcome.outcome === 'unknown') return endingWithout('infrastructure_failure', step, { reason: outcome.reason, decision });
  const { reason, expected, found } = outcome;
  const again = failures[reason].disposition === 'REPLAN' && made(run) <= lastReplanned(input) && !hold.state().closed && !CancellationScope.current().consideredCancelled;
  return again ? { reason, expected, found } : refusedEnding(step, outcome, decision);
}

async function decide(run: Run, proposed: Extract<Proposed, { kind: 'act' }>): Promise<Approval | 'expired' | 'not_authorised'> {
  const { hold, input } = run;
  const show = input.approval.mode === 'manual' ? (state: HoldState): void => { showDetails(run.episodeId, proposed, state); } : undefined;
  hold.open(proposed, show);
  run.phase = 'held';
  if (show !== undefined) showPending(proposed);
  return hold.wait(input.approval, { windowMs: input.windowMs, remind: () => remind(proposed.opKey) });
}

/** Which of the proposer's own proposals this is, from 1: edits are not its. */
function made(run: Run): number {
  return run.step - run.edits;
}

/** Histories from before there were forks name none. */
function isFork({ fork }: Pick<EpisodeInput, 'fork'>): boolean {
  return fork !== undefined;
}

/** The commit, and the transactions that race the first one. Neither is cancelled once begun, and both are waited for: what is in flight must be known. */
async function commitAmongOthers(run: Run, decision: Approval): Promise<Committed> {
  const { episodeId, step, opened, input } = run;
  // Neither a judge nor a race to be looked at: a commit is the end, and a local activity only to write that down costs a tenth of an episode.
  const last = opened.racers === 0 && !input.score ? ({ finish: true } as const) : {};
  const commit = (): Promise<Committed> => effects.commit({ episodeId, step, decision, faults: input.faults, ...last });
  // A commit alone is awaited alone: the SDK notes a stack trace for every promise, and an aggregate makes many.
  if (opened.racers === 0 || made(run) > 1 || isFork(input)) return CancellationScope.nonCancellable(commit);
  return CancellationScope.nonCancellable(async () => {
    // The others are asked first: a commit takes fewer round trips than they do, and would win nearly every race with a head start besides.
    const [mutated, committed] = await Promise.allSettled([effects.mutate({ episodeId }), commit()]);
    if (mutated.status === 'rejected') warnUnfired(episodeId);
    if (committed.status === 'rejected') throw committed.reason;
    return committed.value;
  });
}

/** Settles, scores and writes down what stands; a cancellation cannot stop it. */
async function finish(run: Run, ending: Ending): Promise<EpisodeOutcome> {
  const { episodeId, hold, opened, input } = run;
  const cancelled = CancellationScope.current().consideredCancelled;
  return CancellationScope.nonCancellable(async () => {
    const finished: Finished = ending.recorded === true ? { outcome: ending.outcome, leaked: null }
      : await local.finishEpisode({ episodeId, outcome: ending.outcome, close: ending.close, score: input.score });
    const { outcome } = finished;
    showEnd(wordOf(outcome, { cancelled, replayed: opened.committed !== null }), finished, hold.state().decided?.verdict ?? 'none');
    if (!allHandlersFinished()) await condition(allHandlersFinished);
    await recordRefusals(hold);
    if (outcome.class === 'cancelled') throw new CancelledFailure('The episode was cancelled before its commit; its op key is closed.');
    return outcome;
  });
}

function wordOf(outcome: EpisodeOutcome, how: { cancelled: boolean; replayed: boolean }): string {
  if (outcome.class !== 'committed') return outcome.class;
  if (how.cancelled) return 'committed_before_cancel';
  return how.replayed ? 'already_committed' : 'committed';
}
