/** Replays the replanning layer chunk by chunk, some decisions at once, and hands what came of them out in planned order. */
import { scoreWorlds } from '../../../checker/score.ts';
import type { FrozenProposal } from '../../../contract/frozen-proposal.ts';
import type { ReplannedOutcome } from '../../../contract/replanned.ts';
import { isOtherCall, knownDecision } from '../acts.ts';
import { inChunks } from '../engine.ts';
import { truthOf } from '../../runtime/score.ts';
import { judged } from '../outcomes.ts';
import { replanDecision, type DoneReplan, type ReplanPlace } from './replay.ts';

/** What is left to do. `chunkSize`: decisions that are written together. */
export type ReplanWork = { readonly proposals: readonly FrozenProposal[]; readonly concurrency: number; readonly chunkSize: number; readonly signal: AbortSignal };

/** A decision's replans, when they were begun, and how long each that was asked took. */
export type ReplannedDecision = { readonly outcomes: readonly ReplannedOutcome[]; readonly startedAt: string; readonly roundTripsMs: Readonly<Record<string, number>> };

/** The chunks, each as soon as it is whole. @throws the signal's reason where it was aborted */
export async function* replanChunks(place: ReplanPlace, work: ReplanWork): AsyncGenerator<ReplannedDecision[]> {
  yield* inChunks(work.proposals, work, (group) => replanGroup(place, group, work.signal));
}

async function replanGroup(place: ReplanPlace, group: readonly FrozenProposal[], signal: AbortSignal): Promise<ReplannedDecision[]> {
  const replanned: { proposal: FrozenProposal; startedAt: string; replay: Awaited<ReturnType<typeof replanDecision>> }[] = [];
  for (const proposal of group) {
    signal.throwIfAborted();
    const startedAt = new Date().toISOString();
    replanned.push({ proposal, startedAt, replay: await replanDecision(place, proposal, `replan/${proposal.proposer}/${String(proposal.seed)}/${proposal.caseId}`) });
  }
  const requests = replanned.flatMap(({ replay: { plan, done } }) => done.map(({ worldId, episodeId }) => ({ worldId, episodeId, ...truthOf(plan) })));
  const scores = await scoreWorlds(place.pool, requests);
  let next = 0;
  return replanned.map(({ proposal, startedAt, replay: { plan, done } }): ReplannedDecision => {
    const outcomes = done.map((one): ReplannedOutcome => {
      const { kind, guardFired, told, answer, blockedBy } = one;
      return {
        ...knownDecision(proposal, plan), kind, guardFired, told: [...told], replanned: answer.answer, replannedWrongArguments: answer.answer === 'act' && isOtherCall(answer, plan), blockedBy,
        ...judged(scores[next++], `replan ${one.kind} of ${proposal.caseId}`),
      };
    });
    return { outcomes, startedAt, roundTripsMs: roundTripsOf(done) };
  });
}

function roundTripsOf(done: readonly DoneReplan[]): Record<string, number> {
  return Object.fromEntries(done.flatMap(({ kind, answer }) => (answer.roundTripMs === null ? [] : [[kind, Math.round(answer.roundTripMs)]])));
}
