/** Joins a run's plan to what became of it: one decision a planned episode, sorted by id. */
import type { PlannedEpisode } from '../../activities/types.ts';
import type { Decision, FirstProposal, ScoreRecord } from '../../analysis/decision.ts';
import { parseCaseId, twinOf } from '../../contract/case.ts';
import { canonicalText } from '../../contract/digest.ts';
import type { EpisodeOutcome } from '../../contract/outcome.ts';
import type { Arguments } from '../../contract/proposal.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { LoadedEpisode } from './load.ts';

/** The decisions in the order of their ids, by code units, so that the file is the same on every machine. */
export function decisionsOf(planned: readonly PlannedEpisode[], loaded: ReadonlyMap<string, LoadedEpisode>): Decision[] {
  return planned.map((plan) => decisionOf(plan, loaded.get(plan.episodeId))).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function decisionOf(planned: PlannedEpisode, row: LoadedEpisode | undefined): Decision {
  const { episodeId: id, caseId, model, seed, guard } = planned;
  const cell = parseCaseId(caseId);
  const outcome = row?.outcome ?? null;
  return {
    id, caseId, condition: cell.condition, twin: twinOf(cell), model, seed, guard: guard.kind, without: guard.without,
    ...endOf(row, outcome), steps: row?.steps ?? 0, proposal: proposalOf(caseId, row), attempts: row?.attempts ?? [], score: scoreOf(row), faults: row?.faults ?? {},
  };
}

/** What opened no world has failed; what has a world and no end is not known. */
function endOf(row: LoadedEpisode | undefined, outcome: EpisodeOutcome | null): Pick<Decision, 'class' | 'reason'> {
  if (row === undefined) return { class: 'infrastructure_failure', reason: null };
  return outcome === null ? { class: 'unknown', reason: null } : { class: outcome.class, reason: outcome.reason };
}

function proposalOf(caseId: string, row: LoadedEpisode | undefined): FirstProposal {
  const answer = row?.answer ?? null;
  if (answer === null) {
    // A question that ended in an error left no answer, only the episode's reason.
    const reason = row?.outcome?.class === 'model_failure' ? row.outcome.reason : null;
    return reason === null ? { kind: 'none' } : { kind: 'failed', reason, replyDigest: null };
  }
  const { kind, reply, replyDigest = '' } = answer;
  const confidence = reply?.confidence ?? null;
  const refused = answer.refused ?? answer.reason;
  if (refused !== undefined) return { kind: 'failed', reason: refused, replyDigest: answer.replyDigest ?? null };
  if (kind === 'act') return { kind, tool: reply?.tool ?? '', arguments: reply?.arguments ?? {}, confidence, replyDigest, wrongArguments: !isAsAsked(caseId, reply ?? {}) };
  return kind === 'abstain' ? { kind, confidence, replyDigest } : { kind: 'none' };
}

function isAsAsked(caseId: string, reply: { tool?: string; arguments?: Arguments }): boolean {
  const plan = planOf(caseId);
  return reply.tool === plan.tool && canonicalText(reply.arguments ?? {}) === canonicalText(plan.arguments);
}

function scoreOf(row: LoadedEpisode | undefined): ScoreRecord | null {
  if (row === undefined) return null;
  const { score } = row;
  if (score === null) return { unjudged: 'The episode has not been scored.' };
  if ('unjudged' in score) return { unjudged: score.unjudged };
  const { committed, unsafe, duplicates, diffExact, safeSuccess, wrongEffect, blockedBenign, integrity, failedClauses } = score;
  return { committed, unsafe, duplicates, diffExact, safeSuccess, wrongEffect, blockedBenign, integrity, failedClauses };
}
