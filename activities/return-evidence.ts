/** Evidence that goes back to a proposer: bought about its first answer, kept with the next step, told with the next question. */
import type { Evidence } from '../contract/controller.ts';
import type { Reason } from '../contract/failures.ts';
import { opKeyOf } from '../contract/names.ts';
import { Proposal } from '../contract/proposal.ts';
import { requestOf } from '../database/approvals.ts';
import { noteStep } from '../database/episode-steps.ts';
import type { EpisodeRow } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import { atSeed } from '../database/world-at-seed.ts';
import { planOf } from '../scenarios/plan.ts';
import type { EpisodePlan } from '../scenarios/scenario.ts';
import { findingsOn, type Call } from './evidence.ts';
import type { Notice } from './model/prompt.ts';
import { observe } from './open-episode.ts';

type Returned = Extract<Notice, { kind: 'evidence' }>;

/** The evidence that a step's proposer is given, where there is any. */
export function noticeOf(episode: EpisodeRow, step: number): Returned | undefined {
  return episode.steps[step - 1]?.notice as Returned | undefined;
}

/**
 * Looks at what the step's proposal needs, reads the world again as ordinary reads see it, and keeps both for the step after it. What was kept first stays: a
 * worker that died after its look, or another run of the episode, is told the same, whatever has happened since. @returns what speaks against the action
 */
export async function returnEvidence(pool: Pool, episode: EpisodeRow, { step, evidence }: { step: number; evidence: Evidence }): Promise<readonly Reason[]> {
  const kept = noticeOf(episode, step + 1);
  if (kept !== undefined) return kept.findings;
  const plan = planOf(episode.caseId);
  const { worldId, episodeId } = episode;
  const call = await callOf(pool, plan, opKeyOf(episodeId, step));
  // An ordinary look has the blind spot of an ordinary read: where effects show late, it sees the world as it began.
  const isLate = evidence === 'fast' && plan.fastSees === 'seed';
  const findings = await (isLate ? atSeed(pool, { label: plan.caseId, rows: plan.seed }, (db, began) => findingsOn(db, began, call)) : findingsOn(pool, worldId, call));
  const observation = await observe(pool, plan, { worldId, sight: 'again' });
  const shown = evidence === 'fast' ? observation : await observe(pool, plan, { worldId, sight: 'true' });
  const notice: Returned = { kind: 'evidence', evidence, findings, found: JSON.stringify(shown.rows) };
  await noteStep(pool, { episodeId, step: step + 1 }, { observation, notice });
  return findings;
}

/** Evidence is about what was proposed; where nothing was, about what the request asks for. */
async function callOf(pool: Pool, plan: EpisodePlan, opKey: string): Promise<Call> {
  const request = await requestOf(pool, opKey);
  const { tool, arguments: args } = request === undefined ? plan : Proposal.parse(JSON.parse(request.proposal));
  return { tool, args };
}
