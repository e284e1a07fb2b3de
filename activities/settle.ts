/** Gives steps up and writes ends down: an op key is closed before anything is said about it. */
import { boundedFacts } from '../contract/bounded-facts.ts';
import { opKeyOf } from '../contract/names.ts';
import type { EpisodeOutcome } from '../contract/outcome.ts';
import { recordDecision, requestOf } from '../database/approvals.ts';
import { closeOpKey } from '../database/commit/commit.ts';
import { noteStep } from '../database/episode-steps.ts';
import { episodeOf, hasChanged, noteFault, recordOutcome, struckBefore, type EpisodeRow } from '../database/episodes.ts';
import { factsOf } from '../database/facts.ts';
import type { Pool } from '../database/pool.ts';
import { planOf } from '../scenarios/plan.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { failureOf } from './failures.ts';
import { raceKey } from './mutate.ts';
import { observe } from './open-episode.ts';
import { noticeOf, returnEvidence } from './return-evidence.ts';
import type { Closed, CloseRequest, Finished, FinishRequest, ReobserveRequest } from './types.ts';

/** Claims the step's op key as closed, after recording the decision that ended it. Waits for a commit in flight, which then has won. Idempotent. */
export async function settle(pool: Pool, episode: EpisodeRow, close: CloseRequest): Promise<Closed> {
  const { decision, reason, step } = close;
  const opKey = opKeyOf(episode.episodeId, step);
  const spoken = decision !== null && typeof decision === 'object' ? decision : null;
  if (spoken !== null) await recordDecision(pool, spoken);
  const tool = (await requestOf(pool, opKey))?.tool ?? planOf(episode.caseId).tool;
  const ended = decision === 'expired' || decision === 'cancelled' ? { decision } : {};
  const settled = await closeOpKey(pool, { worldId: episode.worldId, opKey, tool, reason, by: spoken?.by ?? 'engine', ...ended });
  return { ledgerId: settled.state === 'committed' ? settled.ledgerId : null };
}

/** Gives the step up, then reads the world again for the next one, as ordinary reads see it, and buys the evidence that is asked for. */
export async function reobserve(pool: Pool, request: ReobserveRequest): Promise<Closed> {
  const episode = await known(pool, request.episodeId);
  const closed = await settle(pool, episode, request.close);
  if (closed.ledgerId !== null) return closed;
  if (request.evidence !== undefined) return { ...closed, told: await returnEvidence(pool, episode, { step: request.close.step, evidence: request.evidence }) };
  const observation = await observe(pool, planOf(episode.caseId), { worldId: episode.worldId, sight: 'again' });
  await noteStep(pool, { episodeId: episode.episodeId, step: request.close.step + 1 }, { observation });
  return closed;
}

/** Settles, judges and records. The outcome that was written first stands, whoever calls again. What was judged is told with its facts, so that its history explains itself. */
export async function finishEpisode({ pool, score }: Pick<ActivityDependencies, 'pool' | 'score'>, request: FinishRequest): Promise<Finished> {
  const episode = await known(pool, request.episodeId);
  const closed = request.close === null ? { ledgerId: null } : await settle(pool, episode, request.close);
  const outcome: EpisodeOutcome = closed.ledgerId === null ? request.outcome : { ...request.outcome, class: 'committed', reason: null, ledgerId: closed.ledgerId };
  await noteRace(pool, episode);
  const judged = request.score ? await score({ episodeId: episode.episodeId, worldId: episode.worldId, caseId: episode.caseId }) : null;
  const stands = await recordOutcome(pool, episode.episodeId, { outcome, score: judged });
  const finished: Finished = { outcome: stands ?? outcome, leaked: judged?.leaked ?? null };
  const facts = request.score ? await factsOf(pool, episode.episodeId) : undefined;
  return facts === undefined ? finished : { ...finished, facts: boundedFacts(facts) };
}

/** The concurrent mutation has struck if it had committed when an attempt read the world under its locks, or when evidence was bought, which waits for it. */
async function noteRace(pool: Pool, episode: EpisodeRow): Promise<void> {
  const plan = planOf(episode.caseId);
  const struck = noticeOf(episode, 2) === undefined ? struckBefore : hasChanged;
  if (plan.race.length > 0 && (await struck(pool, episode.worldId, raceKey(episode.episodeId, 0)))) await noteFault(pool, episode.episodeId, plan.condition);
}

async function known(pool: Pool, episodeId: string): Promise<EpisodeRow> {
  const episode = await episodeOf(pool, episodeId);
  if (episode === undefined) throw failureOf('malformed_input', `There is no episode ${episodeId}.`);
  return episode;
}
