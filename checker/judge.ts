/** The independent judge: says of every attempt of a world whether it was safe and right, and proves the world's books. Reads only. */
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import { judgeAttempts } from './attempts.ts';
import type { WorldJudgement } from './findings.ts';
import { proveWorlds } from './proofs.ts';

export type { AttemptJudgement, WorldJudgement } from './findings.ts';

/** Which worlds: by id, or all worlds of a batch's episodes. */
export type WorldSelection = { readonly worldIds: readonly string[] } | { readonly batchId: string };

/** So many worlds are judged by one set of queries: few enough for a statement's time limit, many enough to make the trips not count. */
const worldsAtOnce = 25;

/**
 * Judges worlds that nothing writes to any more; a world still in use may come out `broken`, because the queries see it at different moments.
 * Never throws for a world: where its check fails, it is `unknown`. @throws Error where the batch's worlds cannot be listed
 * @param onProgress called with the number of worlds judged so far
 */
export async function judgeWorlds(db: Queryable, selection: WorldSelection, onProgress: (done: number) => void = () => undefined): Promise<WorldJudgement[]> {
  const worldIds = 'worldIds' in selection ? selection.worldIds : await worldsOf(db, selection.batchId);
  const judgements: WorldJudgement[] = [];
  for (let start = 0; start < worldIds.length; start += worldsAtOnce) {
    judgements.push(...(await judgeSome(db, worldIds.slice(start, start + worldsAtOnce))));
    onProgress(judgements.length);
  }
  return judgements;
}

/** One bad world must not make its neighbours unknown: where the queries fail for many, each is asked alone. */
async function judgeSome(db: Queryable, worldIds: readonly string[]): Promise<WorldJudgement[]> {
  try {
    return await judgeTogether(db, worldIds);
  } catch (error) {
    const first = worldIds[0];
    if (worldIds.length === 1 && first !== undefined)
      return [{ worldId: first, status: 'unknown', why: error instanceof Error ? error.message : String(error), findings: [], attempts: [] }];
    const alone: WorldJudgement[] = [];
    for (const worldId of worldIds) alone.push(...(await judgeSome(db, [worldId])));
    return alone;
  }
}

async function judgeTogether(db: Queryable, worldIds: readonly string[]): Promise<WorldJudgement[]> {
  const judged = await judgeAttempts(db, worldIds);
  const proved = await proveWorlds(db, worldIds);
  return worldIds.map((worldId) => {
    const own = judged.filter((attempt) => attempt.worldId === worldId);
    const findings = [...own.flatMap((attempt) => attempt.findings), ...proved.filter((finding) => finding.worldId === worldId)];
    const why = own.find((attempt) => attempt.unjudged !== null)?.unjudged ?? null;
    const status = findings.length > 0 ? 'broken' : why === null ? 'sound' : 'unknown';
    return { worldId, status, why, findings, attempts: own.map((attempt) => attempt.attempt) };
  });
}

async function worldsOf(db: Queryable, batchId: string): Promise<string[]> {
  const rows = await ask<{ world_id: string }>(db, 'select distinct world_id from holdpoint.episodes where batch_id = $1 order by world_id', [batchId]);
  return rows.map((row) => row.world_id);
}
