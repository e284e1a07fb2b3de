/** The independent judge: says of every attempt of a world whether it was safe and right, and proves the world's books. Reads only. */
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import { judgeAttempts } from './attempts.ts';
import type { WorldJudgement } from './findings.ts';
import { readRegime, type Regime } from './kept-tables.ts';
import { atOnce, byWorld, inHalves } from './many.ts';
import { proveWorlds } from './proofs.ts';

export type { AttemptJudgement, WorldJudgement } from './findings.ts';

/** Which worlds: by id, or all worlds of a batch's episodes. */
export type WorldSelection = { readonly worldIds: readonly string[] } | { readonly batchId: string };

/**
 * Judges worlds that nothing writes to any more; a world still in use may come out `broken`, because the queries see it at different moments.
 * Never throws for a world: where its check fails, it is `unknown`. @throws Error where the batch's worlds cannot be listed
 * @param onProgress called with the number of worlds judged so far
 */
export async function judgeWorlds(db: Queryable, selection: WorldSelection, onProgress: (done: number) => void = () => undefined): Promise<WorldJudgement[]> {
  const worldIds = 'worldIds' in selection ? selection.worldIds : await worldsOf(db, selection.batchId);
  const judgements: WorldJudgement[] = [];
  for (const some of atOnce(worldIds)) {
    judgements.push(...(await inHalves(some, async (few) => judgeTogether(db, await readRegime(db), few), unknown)));
    onProgress(judgements.length);
  }
  return judgements;
}

const unknown = (worldId: string, why: string): WorldJudgement => ({ worldId, status: 'unknown', why, findings: [], attempts: [] });

/** Judges worlds with one set of queries, in their order. @throws Error where the check fails, for all of them together */
export async function judgeTogether(db: Queryable, regime: Regime, worldIds: readonly string[]): Promise<WorldJudgement[]> {
  const judged = byWorld(await judgeAttempts(db, worldIds), (attempt) => attempt.worldId);
  const proved = byWorld(await proveWorlds(db, regime, worldIds), (finding) => finding.worldId);
  return worldIds.map((worldId) => {
    const own = judged.get(worldId) ?? [];
    const findings = [...own.flatMap((attempt) => attempt.findings), ...(proved.get(worldId) ?? [])];
    const why = own.find((attempt) => attempt.unjudged !== null)?.unjudged ?? null;
    const status = findings.length > 0 ? 'broken' : why === null ? 'sound' : 'unknown';
    return { worldId, status, why, findings, attempts: own.map((attempt) => attempt.attempt) };
  });
}

async function worldsOf(db: Queryable, batchId: string): Promise<string[]> {
  const rows = await ask<{ world_id: string }>(db, 'select distinct world_id from holdpoint.episodes where batch_id = $1 order by world_id', [batchId]);
  return rows.map((row) => row.world_id);
}
