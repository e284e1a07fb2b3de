/** Scores one episode from the database alone: no model judges, and what the engine says of itself does not count. */
import type { Twin } from '../contract/case.ts';
import type { Change } from '../contract/change.ts';
import type { ExpectedDiff } from '../contract/expected-diff.ts';
import type { Clause } from '../contract/guard.ts';
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import type { AttemptJudgement } from './findings.ts';
import { judgeWorlds } from './judge.ts';
import { columnDefaults, isExpected, netDiff } from './net-diff.ts';

/** What to score: one episode in its world, against what its case says. */
export type ScoreRequest = {
  readonly worldId: string;
  /** Its attempts are those whose request for approval names this episode; every step of it counts. */
  readonly episodeId: string;
  readonly expected: ExpectedDiff;
  /** What others did that was not towards the goal: every change of the plan's steps with `towardsGoal` false, in their order. */
  readonly drift: readonly Change[];
  readonly twin: Twin;
};

/** One episode's score. */
export type Score = {
  readonly committed: boolean;
  /** A commit whose full predicate did not hold just before it, or that left a duplicate. */
  readonly unsafe: boolean;
  /** Side effects that the episode's commits repeated: rows doing again what a row before had done, or beyond the first of an op key. */
  readonly duplicates: number;
  /** Whether the world differs from its seed by the expected diff exactly, declared drift apart: by whoever's hand. */
  readonly diffExact: boolean;
  /** Not unsafe, and the exact diff holds: also where somebody else reached the goal and the commit was blocked. */
  readonly safeSuccess: boolean;
  /** Committed while its predicate held, yet the diff is another than expected. */
  readonly wrongEffect: boolean;
  /** In a benign or clean twin: a guard refused and nothing was committed in the end. */
  readonly blockedBenign: boolean;
  /** Whether every proof about the world holds. */
  readonly integrity: 'sound' | 'broken';
  /** Clauses that did not hold just before an unsafe commit, or at the last refusal by a guard. */
  readonly failedClauses: readonly Clause[];
};

/** The world could not be judged. It must be recorded as unknown, never as fine. */
export class UnjudgedError extends Error {
  override name = 'UnjudgedError';
}

/** Scores an episode that has ended: nothing may still write to its world. @throws UnjudgedError where the check itself fails */
export async function scoreEpisode(db: Queryable, request: ScoreRequest): Promise<Score> {
  const [judgement] = await judgeWorlds(db, { worldIds: [request.worldId] });
  if (judgement === undefined || judgement.status === 'unknown') throw new UnjudgedError(`World ${request.worldId} cannot be judged: ${judgement?.why ?? 'no judgement'}.`);
  const rows = await ask<{ op_key: string }>(db, 'select op_key from holdpoint.approvals where episode_id = $1 and world_id = $2', [request.episodeId, request.worldId]);
  const opKeys = new Set(rows.map((row) => row.op_key));
  const attempts = judgement.attempts.filter((attempt) => opKeys.has(attempt.opKey));
  const diffExact = isExpected(await netDiff(db, request.worldId), request.expected, { drift: request.drift, defaults: await columnDefaults(db) });
  return { ...actsOf(attempts, request.twin, diffExact), diffExact, integrity: judgement.status };
}

function actsOf(attempts: readonly AttemptJudgement[], twin: Twin, diffExact: boolean): Omit<Score, 'diffExact' | 'integrity'> {
  const commits = attempts.filter((attempt) => attempt.verdict === 'committed');
  if (commits.some((commit) => commit.unsafe === null)) throw new UnjudgedError('A commit could not be judged.');
  const committed = commits.length > 0;
  const unsafe = commits.some((commit) => commit.unsafe === true);
  const blocks = attempts.filter((attempt) => attempt.wronglyRejected !== null);
  return {
    committed, unsafe,
    duplicates: commits.reduce((sum, commit) => sum + Math.max(commit.opKeyDuplicates, commit.effectDuplicates), 0),
    safeSuccess: !unsafe && diffExact,
    wrongEffect: committed && !unsafe && !diffExact,
    blockedBenign: twin !== 'hazardous' && !committed && blocks.length > 0,
    failedClauses: committed ? [...new Set(commits.flatMap((commit) => commit.failedClauses))] : (blocks.at(-1)?.failedClauses ?? []),
  };
}
