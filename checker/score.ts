/** Scores episodes from the database alone: no model judges, and what the engine says of itself does not count. */
import type { Twin } from '../contract/case.ts';
import type { Change } from '../contract/change.ts';
import type { ExpectedDiff } from '../contract/expected-diff.ts';
import type { Clause } from '../contract/guard.ts';
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import type { AttemptJudgement } from './findings.ts';
import { judgeTogether } from './judge.ts';
import { readRegime } from './kept-tables.ts';
import { atOnce, byWorld, inHalves } from './many.ts';
import { columnDefaults, isExpected, netDiffs } from './net-diff.ts';

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
  /** Committed while its predicate held, yet the diff is another than expected, and not because every commit was taken back since. */
  readonly wrongEffect: boolean;
  /** In a benign or clean twin: a guard refused and nothing was committed in the end. */
  readonly blockedBenign: boolean;
  /** Whether every proof about the world holds. */
  readonly integrity: 'sound' | 'broken';
  /** Clauses that did not hold just before an unsafe commit, or at the last refusal by a guard. */
  readonly failedClauses: readonly Clause[];
};

/** In the place of a score: why the world could not be judged. To be recorded as unknown, never as fine. */
export type Unjudged = { readonly unjudged: string };

type AskedFor = { world_id: string; op_key: string; episode_id: string };

/** The world could not be judged. It must be recorded as unknown, never as fine. */
export class UnjudgedError extends Error {
  override name = 'UnjudgedError';
}

/** Scores an episode that has ended: nothing may still write to its world. @throws UnjudgedError where the check itself fails */
export async function scoreEpisode(db: Queryable, request: ScoreRequest): Promise<Score> {
  const [score] = await scoreWorlds(db, [request]);
  if (score === undefined || 'unjudged' in score) throw new UnjudgedError(score?.unjudged ?? `World ${request.worldId} was not scored.`);
  return score;
}

/**
 * Scores many episodes that have ended, some worlds with one set of queries, in the order of the requests. Never throws: an episode whose world cannot
 * be judged has the reason in its place, and its neighbours have their scores.
 */
export async function scoreWorlds(db: Queryable, requests: readonly ScoreRequest[]): Promise<(Score | Unjudged)[]> {
  const scores: (Score | Unjudged)[] = [];
  for (const some of atOnce(requests)) scores.push(...(await inHalves(some, (few) => scoreTogether(db, few), (request, why) => unjudged(request.worldId, why))));
  return scores;
}

const unjudged = (worldId: string, why: string): Unjudged => ({ unjudged: `World ${worldId} cannot be judged: ${why}.` });

async function scoreTogether(db: Queryable, requests: readonly ScoreRequest[]): Promise<(Score | Unjudged)[]> {
  const worldIds = [...new Set(requests.map((request) => request.worldId))];
  const regime = await readRegime(db);
  const defaults = await columnDefaults(db);
  const judgements = byWorld(await judgeTogether(db, regime, worldIds), (judgement) => judgement.worldId);
  const asked = byWorld(await ask<AskedFor>(db, 'select world_id, op_key, episode_id from holdpoint.approvals where world_id = any ($1::bigint[])', [worldIds]), (row) => row.world_id);
  const diffs = await netDiffs(db, regime.tables, worldIds);
  return requests.map((request) => {
    const { worldId, episodeId, expected, drift, twin } = request;
    const judgement = judgements.get(worldId)?.[0];
    if (judgement === undefined || judgement.status === 'unknown') return unjudged(worldId, judgement?.why ?? 'no judgement');
    const opKeys = new Set((asked.get(worldId) ?? []).filter((row) => row.episode_id === episodeId).map((row) => row.op_key));
    const attempts = judgement.attempts.filter((attempt) => opKeys.has(attempt.opKey));
    if (attempts.some((attempt) => attempt.verdict === 'committed' && attempt.unsafe === null)) return unjudged(worldId, 'a commit could not be judged');
    const diffExact = isExpected(diffs.get(worldId) ?? [], expected, { drift, defaults });
    const undone = new Set(judgement.attempts.flatMap(({ verdict, rollsBack }) => (verdict === 'committed' ? (rollsBack ?? []) : [])));
    const acts = actsOf(attempts, twin, diffExact);
    const isUndone = attempts.every(({ verdict, opKey }) => verdict !== 'committed' || undone.has(opKey));
    return { ...acts, wrongEffect: acts.wrongEffect && !isUndone, diffExact, integrity: judgement.status };
  });
}

function actsOf(attempts: readonly AttemptJudgement[], twin: Twin, diffExact: boolean): Omit<Score, 'diffExact' | 'integrity'> {
  const commits = attempts.filter((attempt) => attempt.verdict === 'committed');
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
