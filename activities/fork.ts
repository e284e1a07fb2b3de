/** A fork's own ways: its world, its proposal and what races it come from the recorded history of another episode. No model is asked and no case is worked out. */
import type { EpisodeInput } from '../contract/episode-input.ts';
import { digestOf } from '../contract/digest.ts';
import type { Observation } from '../contract/observation.ts';
import { Proposal } from '../contract/proposal.ts';
import { episodeOf, insertEpisode, type EpisodeIdentity, type EpisodeRow } from '../database/episodes.ts';
import { forkable, forkPoint, replayBefore, seedFork, type ForkPoint } from '../database/forks.ts';
import type { Pool } from '../database/pool.ts';
import { failureOf } from './failures.ts';
import type { Proposed as Answer } from './model/proposed.ts';
import { resume } from './resume.ts';
import type { Opened } from './types.ts';

type Forking = { readonly episodeId: string; readonly input: EpisodeInput; readonly fork: NonNullable<EpisodeInput['fork']> };

/**
 * Opens a fork, or finds the one that an earlier attempt or run opened. Its world is as the recorded one began; what others wrote after that is for `replayRecorded`.
 * @throws ApplicationFailure of type `malformed_input` where the other episode cannot be forked
 */
export async function openFork(pool: Pool, { episodeId, input: given, fork }: Forking): Promise<Opened> {
  const origin = await forkable(pool, fork.episodeId);
  if ('refused' in origin) throw failureOf('malformed_input', origin.refused);
  const { episode, point } = origin;
  const { caseId, model, seed } = episode;
  // Its own window, as long as the recorded one was: what is left of an old one says nothing.
  const input: EpisodeInput = { ...given, caseId, model, seed, windowMs: proposalOf(point).windowMs, replans: 0, returns: 'guardBlock', faults: false };
  const identity: EpisodeIdentity = { episodeId, batchId: input.batchId, caseId, model, seed, guard: input.guard.kind, without: input.guard.without, forkedFrom: point.opKey };
  const racers = Number(point.epoch) - 1;
  const known = await episodeOf(pool, episodeId);
  if (known !== undefined) return { input, ...(await resume(pool, racers, { known, identity })) };
  const worldId = await seedFork(pool, point, { label: caseId, episodeId });
  await insertEpisode(pool, identity, { worldId, observation: { ...observed(episode, point), worldId }, faults: {} });
  // A world whose row lost the race is seen by nobody.
  const standing = await episodeOf(pool, episodeId);
  if (standing === undefined) throw new TypeError(`The fork ${episodeId} vanished while it was opened.`);
  return { input, ...(await resume(pool, racers, { known: standing, identity })) };
}

/** What the recorded step had seen. */
function observed(episode: EpisodeRow, { step, episodeId }: ForkPoint): Observation {
  const observation = episode.steps[step - 1]?.observation;
  if (observation === undefined) throw failureOf('malformed_input', `The episode ${episodeId} has no observation for step ${String(step)}: it cannot be forked.`);
  return observation;
}

/** Makes what others wrote before the recorded commit again. */
export async function replayRecorded(pool: Pool, { episodeId, worldId, forkedFrom }: EpisodeRow): Promise<void> {
  await replayBefore(pool, { from: await pointOf(pool, forkedFrom), into: { worldId, episodeId } });
}

/** The recorded proposal, word for word, and as an answer. Keys, versions and epochs are the same in both worlds, so nothing in it has to be translated, and its digest is the recorded one. */
export async function recordedAnswer(pool: Pool, { forkedFrom }: EpisodeRow): Promise<{ readonly answer: Extract<Answer, { kind: 'act' }>; readonly proposal: Proposal }> {
  const point = await pointOf(pool, forkedFrom);
  const proposal = proposalOf(point);
  const reply = { decision: 'act', tool: proposal.tool, arguments: proposal.arguments } as const;
  return { proposal, answer: { kind: 'act', reply, replyDigest: digestOf(['fork', point.opKey]), asked: false, attempts: [] } };
}

async function pointOf(pool: Pool, opKey: string | null | undefined): Promise<ForkPoint> {
  const point = await forkPoint(pool, opKey ?? '');
  if (point === undefined) throw failureOf('malformed_input', `The commit ${opKey ?? ''} that is forked is no longer there.`);
  return point;
}

function proposalOf(point: ForkPoint): Proposal {
  return Proposal.parse(JSON.parse(point.proposal));
}
