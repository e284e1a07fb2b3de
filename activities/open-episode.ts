/** Opens an episode: its world, what happened before, the first observation, and the row that makes it visible. */
import { EpisodeInput, remindAfterMs } from '../contract/episode-input.ts';
import type { Observation } from '../contract/observation.ts';
import { episodeOf, insertEpisode, type EpisodeIdentity } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import { changeWorld, observeWorld, seedWorld } from '../database/worlds.ts';
import { toolContract } from '../guards/tools/index.ts';
import { planOf } from '../scenarios/plan.ts';
import type { EpisodePlan } from '../scenarios/scenario.ts';
import { failureOf } from './failures.ts';
import { openFork } from './fork.ts';
import { parseInput } from './input.ts';
import { resume } from './resume.ts';
import type { Opened, OpenRequest } from './types.ts';

/** The epoch of a world that was just seeded. */
const seedEpoch = '1';

/** Opens the episode, or finds the one that an earlier attempt or run opened. A world whose row lost the race is seen by nobody. */
export async function openEpisode(pool: Pool, request: OpenRequest): Promise<Opened> {
  const { episodeId } = request;
  const input = withReminder(parseInput(EpisodeInput, request.given));
  if (input.fork !== undefined) return openFork(pool, { episodeId, input, fork: input.fork });
  const { batchId, caseId, model, seed, guard } = input;
  const plan = planOf(caseId);
  const identity: EpisodeIdentity = { episodeId, batchId, caseId, model, seed, guard: guard.kind, without: guard.without };
  const known = await episodeOf(pool, episodeId);
  if (known !== undefined) return { input, ...(await resume(pool, plan.race.length, { known, identity })) };
  const { worldId, observation } = await openWorld(pool, plan);
  const faults = plan.observe === 'seed' && plan.before.length > 0 ? await firedBySight(pool, plan, observation) : {};
  if (await insertEpisode(pool, identity, { worldId, observation, faults })) return { input, racers: plan.race.length, step: 1, ended: null, committed: null };
  const winner = await episodeOf(pool, episodeId);
  if (winner === undefined) throw new TypeError(`The episode ${episodeId} vanished while it was opened.`);
  return { input, ...(await resume(pool, plan.race.length, { known: winner, identity })) };
}

/** The reminder is decided here and not in the workflow, so that an episode of before there were any replays without. */
function withReminder(input: EpisodeInput): EpisodeInput {
  const afterMs = remindAfterMs(input);
  return afterMs === 0 ? input : { ...input, approval: { ...input.approval, remindAfterMs: afterMs } };
}

/** A world of its own as the plan begins, with what happened before and the first observation. */
export async function openWorld(pool: Pool, plan: EpisodePlan): Promise<{ worldId: string; observation: Observation }> {
  const worldId = await seedWorld(pool, plan.caseId, plan.seed);
  for (const step of plan.before) await changeWorld(pool, worldId, step);
  return { worldId, observation: await observe(pool, plan, { worldId, sight: 'first' }) };
}

/** How a world is looked at: by the read that the first proposal rests on, by an ordinary read after that, or as it truly is. */
export type Sight = 'first' | 'again' | 'true';

/** Reads the plan's rows, or those of other keys. Both ordinary reads may be late, each as its plan says: one that is made again shares the blind spot of late effects. */
export async function observe(pool: Pool, plan: EpisodePlan, { worldId, sight, keys = plan.keys }: { worldId: string; sight: Sight; keys?: EpisodePlan['keys'] }): Promise<Observation> {
  const contract = toolContract(plan.tool);
  if (contract === undefined) throw failureOf('unknown_tool');
  const isLate = (sight === 'first' && plan.observe === 'seed') || (sight === 'again' && plan.fastSees === 'seed');
  const asOf = isLate ? { asOfEpoch: seedEpoch } : {};
  return observeWorld(pool, { worldId, contract, keys, telemetry: plan.telemetry, ...asOf });
}

/** An old read has struck if some row of it really has another version by now. */
async function firedBySight(pool: Pool, plan: EpisodePlan, seen: Observation): Promise<Record<string, number>> {
  const now = await observe(pool, plan, { worldId: seen.worldId, sight: 'true' });
  const differs = now.readSet.some((row, index) => row.version !== seen.readSet[index]?.version);
  // The live fault of this condition is counted when the line is cut or the completion lost.
  return differs && plan.fault === null ? { [plan.condition]: 1 } : {};
}
