/** The transactions of other people and services that race an episode's commit. */
import { changeWorldOnce, episodeOf } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import { planOf } from '../scenarios/plan.ts';
import { failureOf } from './failures.ts';
import { replayRecorded } from './fork.ts';

/** Under which key a race step is written into the row history: a repeated activity finds it and changes nothing. */
export function raceKey(episodeId: string, index: number): string {
  return `${episodeId}:race:${String(index)}`;
}

/** Writes the plan's race steps, each in its own transaction, each once; in a fork, what the recorded history has before the commit. */
export async function mutate(pool: Pool, episodeId: string): Promise<void> {
  const episode = await episodeOf(pool, episodeId);
  if (episode === undefined) throw failureOf('malformed_input', `There is no episode ${episodeId}.`);
  if (typeof episode.forkedFrom === 'string') return replayRecorded(pool, episode);
  for (const [index, step] of planOf(episode.caseId).race.entries())
    await changeWorldOnce(pool, episode.worldId, { cause: { actor: step.actor, reason: step.reason, opKey: raceKey(episodeId, index) }, changes: step.changes });
}
