/** The factory of activities: takes what they need from outside, gives them by the names that workflows call. */
import { insertRefusals } from '../database/approvals.ts';
import { admitted, remind } from '../database/decisions.ts';
import { commit } from './commit.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { withMappedFailures } from './failures.ts';
import { mutate } from './mutate.ts';
import { openEpisode } from './open-episode.ts';
import { planBatch } from './plan-batch.ts';
import { propose } from './propose.ts';
import { closeRollback, commitRollback, openRollback } from './rollback.ts';
import { finishEpisode, reobserve } from './settle.ts';
import type { Activities } from './types.ts';

export type { ActivityDependencies, Proposer, ProposerRequest, Score, ScoreRequest } from './dependencies.ts';
export type { Activities } from './types.ts';

/** All activities of the engine; a worker of the model queue registers `propose` alone. */
export function createActivities(deps: ActivityDependencies): Activities {
  const { pool } = deps;
  return withMappedFailures<Activities>({
    openEpisode: (request) => openEpisode(pool, request),
    propose: (request) => propose(deps, request),
    reobserve: (request) => reobserve(pool, request),
    admit: async ({ decision }) => (await admitted(pool, decision)) ?? null,
    remind: (request) => remind(pool, request.opKey),
    mutate: (request) => mutate(pool, request.episodeId),
    commit: (request) => commit(deps, request),
    finishEpisode: (request) => finishEpisode(deps, request),
    recordRefusals: (request) => insertRefusals(pool, request.refusals),
    openRollback: (request) => openRollback(pool, request.rollbackId),
    commitRollback: (request) => commitRollback(pool, request),
    closeRollback: (request) => closeRollback(pool, request),
    planBatch: (request) => planBatch(deps, request),
  });
}
