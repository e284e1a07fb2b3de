/** Commits an approved step, with the live faults of its case striking on the first attempt. */
import { Context } from '@temporalio/activity';
import { opKeyOf } from '../contract/names.ts';
import type { CommitOutcome } from '../contract/outcome.ts';
import { Proposal } from '../contract/proposal.ts';
import { commitProposal, isUnknown, type CommitRequest } from '../database/commit/commit.ts';
import { episodeAtStep } from '../database/episode-steps.ts';
import { noteFault, recordOutcome } from '../database/episodes.ts';
import { planOf } from '../scenarios/plan.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { failureOf } from './failures.ts';
import type { CommitActivityRequest, Committed } from './types.ts';

type Deps = Pick<ActivityDependencies, 'pool' | 'openCutLine' | 'loseCompletion'>;

/** One attempt, and the episode's end where it succeeded and nothing else is to be done after it. */
export async function commit(deps: Deps, request: CommitActivityRequest): Promise<Committed> {
  const outcome = await attemptCommit(deps, request);
  if (request.finish !== true || !('ledgerId' in outcome)) return outcome;
  const end = { class: 'committed', reason: null, ledgerId: outcome.ledgerId, steps: request.step } as const;
  return { ...outcome, ended: (await recordOutcome(deps.pool, request.episodeId, { outcome: end, score: null })) ?? end };
}

/**
 * One attempt. Expected results are values; an unknown outcome is thrown as `commit_unknown` and is tried again under the same op key, which replays
 * what the first attempt did.
 */
async function attemptCommit(deps: Deps, request: CommitActivityRequest): Promise<CommitOutcome> {
  const { attempt } = Context.current().info;
  const opKey = opKeyOf(request.episodeId, request.step);
  const episode = await episodeAtStep(deps.pool, request.episodeId, opKey);
  if (typeof episode?.proposal !== 'string') return { outcome: 'rejected', reason: 'approval_missing', clause: null, expected: opKey, found: 'no request' };
  const plan = planOf(episode.caseId);
  const { verdict, by, via, comment, decisionIds, digest } = request.decision;
  const call: CommitRequest = {
    worldId: episode.worldId, opKey, proposal: Proposal.parse(JSON.parse(episode.proposal)), digest, guard: { kind: episode.guard, without: [...episode.without] }, attempt,
    decision: { verdict, by, via, comment, ...(decisionIds !== undefined && { decisionIds }) },
  };
  const strikes = request.faults && plan.fault === 'cut-at-commit' && attempt === 1 && request.step === 1;
  // Both ways of losing an acknowledgement: hazardous cells lose the line, their benign twins the activity's completion.
  if (strikes && plan.twin === 'hazardous') return commitOnCutLine(deps, request.episodeId, call);
  const outcome = await commitProposal(deps.pool, call);
  const loses = (strikes || (deps.loseCompletion?.(request.episodeId) === true && attempt === 1)) && outcome.outcome === 'committed';
  if (!loses) return outcome;
  await noteFault(deps.pool, request.episodeId, plan.condition);
  throw failureOf('commit_unknown', 'The completion of a successful commit was lost (injected).');
}

async function commitOnCutLine(deps: Deps, episodeId: string, call: CommitRequest): Promise<CommitOutcome> {
  const line = deps.openCutLine();
  try {
    return await commitProposal(line.pool, call);
  } catch (error) {
    if (isUnknown(error) && line.landed()) await noteFault(deps.pool, episodeId, 'timeout-after-commit');
    throw error;
  } finally {
    await line.end();
  }
}
