/** Turns what the drivers saw and what the checker found into the race's figures. The checker and the ledger decide; the drivers only name the bouts. */
import type { AttemptJudgement, WorldJudgement } from '../../checker/judge.ts';
import type { GuardKind } from '../../contract/guard.ts';
import type { Queryable } from '../../database/pool.ts';
import { callbackKey, type BoutEnd } from './bout.ts';
import { clauseOfFamily, families, type Family } from './families.ts';
import type { GuardRun } from './run.ts';

/** One guard's figures. Counts are of the N commits asked for; those marked (all) take the duplicates' callbacks in as well. */
export type GuardFigures = {
  readonly attempted: number;
  readonly committed: number;
  readonly replayed: number;
  readonly rejected: number;
  /** Lost lines whose key was closed before the commit could land. The four add up to `attempted`. */
  readonly closed: number;
  /** (all) Rejections that the history does not bear out: a clause that held, a version or epoch that matched. */
  readonly wronglyRejected: number;
  /** (all) Rejections by a guard while the full predicate held: needless, not wrong. */
  readonly blockedThoughSafe: number;
  /** Commits that ran while another transaction wrote to the same world. */
  readonly overlapped: number;
  /** Distinct waits for a lock that the monitor saw. */
  readonly lockWaits: number;
  /** Commits whose strike was in place between their read and their linearization point, by family. */
  readonly hazards: Readonly<Record<Family, number>>;
  /** Cut commits whose first attempt is in the ledger, and those where it is not. */
  readonly cutLanded: number;
  readonly cutLost: number;
  /** Commits that were unknown and then settled. */
  readonly unknownResolved: number;
  readonly contentionReruns: number;
  /** (all) Commits whose full predicate did not hold just before them, or that repeated an effect. */
  readonly unsafe: number;
  /** (all) Unsafe commits where the family's own clause was among those that failed. */
  readonly unsafeByFamily: Readonly<Record<Family, number>>;
  /** (all) Side effects beyond the first of one op key. */
  readonly duplicates: number;
  /** (all) Side effects that repeat what another op key had done. */
  readonly repeatedEffects: number;
  /** Commits asked for in a second, strikes and observations running beside them. */
  readonly perS: number;
  /** Worlds with a broken proof, and worlds that could not be judged. */
  readonly brokenWorlds: number;
  readonly unknownWorlds: number;
};

/** The race's document. `elapsedS` is the whole race, judging included. Every shortcoming is a sentence; a race without one exits 0. */
export type RaceResult = {
  readonly guards: Readonly<Record<GuardKind, GuardFigures>>;
  readonly seed: number;
  readonly commits: number;
  readonly connections: number;
  readonly elapsedS: number;
  readonly shortcomings: readonly string[];
};

/** The figures of one guard. @param db reads the history and the ledger */
export async function tally(db: Queryable, run: GuardRun, judgements: readonly WorldJudgement[]): Promise<GuardFigures> {
  const attempts = judgements.flatMap((world) => world.attempts);
  const ofKey = new Map<string, AttemptJudgement[]>();
  for (const attempt of attempts) ofKey.set(attempt.opKey, [...(ofKey.get(attempt.opKey) ?? []), attempt]);
  const outcomes = (outcome: BoutEnd['outcome']): number => run.ends.filter((end) => end.outcome === outcome).length;
  const cut = run.ends.filter((end) => end.bout.cut !== null);
  const landed = await landedFirst(db, cut.map((end) => end.opKey));
  return {
    attempted: run.ends.length, committed: outcomes('committed'), replayed: outcomes('replayed'), rejected: outcomes('rejected'), closed: outcomes('closed'),
    wronglyRejected: attempts.filter((attempt) => attempt.wronglyRejected === true).length,
    blockedThoughSafe: attempts.filter((attempt) => attempt.blockedThoughSafe === true).length,
    overlapped: run.ends.filter((end) => ofKey.get(end.opKey)?.some((attempt) => attempt.overlapped) === true).length,
    lockWaits: run.lockWaits,
    hazards: await hazardsOf(db, run.worldIds),
    cutLanded: landed, cutLost: cut.length - landed,
    unknownResolved: run.ends.filter((end) => end.wasUnknown).length,
    contentionReruns: run.contentionReruns,
    unsafe: attempts.filter((attempt) => attempt.unsafe === true).length,
    unsafeByFamily: unsafeByFamily(run.ends, ofKey),
    duplicates: attempts.reduce((sum, attempt) => sum + attempt.opKeyDuplicates, 0),
    repeatedEffects: attempts.reduce((sum, attempt) => sum + attempt.effectDuplicates, 0),
    perS: Math.round((run.ends.length / run.tookS) * 10) / 10,
    brokenWorlds: judgements.filter((world) => world.status === 'broken').length,
    unknownWorlds: judgements.filter((world) => world.status === 'unknown').length,
  };
}

function unsafeByFamily(ends: readonly BoutEnd[], ofKey: ReadonlyMap<string, readonly AttemptJudgement[]>): Record<Family, number> {
  const counted = Object.fromEntries(families.map((family) => [family, 0])) as Record<Family, number>;
  for (const { opKey, bout } of ends) {
    const clause = clauseOfFamily[bout.family];
    const attempts = [...(ofKey.get(opKey) ?? []), ...(ofKey.get(callbackKey(opKey)) ?? [])];
    counted[bout.family] += attempts.filter((attempt) => attempt.unsafe === true && clause !== null && attempt.failedClauses.includes(clause)).length;
  }
  return counted;
}

/** How many of the cut commits have their first attempt in the ledger: their transaction landed although nobody was told. */
async function landedFirst(db: Queryable, opKeys: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ n: number }>('select count(distinct op_key)::int as n from holdpoint.ledger where op_key = any ($1) and attempt = 1 and verdict <> $2', [opKeys, 'closed']);
  return rows[0]?.n ?? 0;
}

/**
 * A strike was in place where its history row has an epoch after the one the proposal read and up to the one the commit found. A duplicate is in place
 * for whichever of the two came second.
 */
async function hazardsOf(db: Queryable, worldIds: readonly string[]): Promise<Record<Family, number>> {
  const counted = Object.fromEntries(families.map((family) => [family, 0])) as Record<Family, number>;
  const { rows } = await db.query<{ family: Family; n: number }>(
    `select s.family, count(distinct split_part(l.op_key, '#', 1))::int as n from holdpoint.ledger l join lateral (
       select substr(h.actor, 6) as family from holdpoint.row_history h
         where h.world_id = l.world_id and h.actor like 'race:%' and h.reason = l.op_key and h.epoch > l.epoch_read and h.epoch <= l.epoch_found
       union select 'duplicate' from holdpoint.row_history h
         where h.world_id = l.world_id and h.op_key = case when l.op_key like '%#callback' then split_part(l.op_key, '#', 1) else l.op_key || '#callback' end
         and h.epoch > l.epoch_read and h.epoch <= l.epoch_found) s on true
     where l.world_id = any ($1::bigint[]) group by 1`,
    [worldIds],
  );
  for (const row of rows) counted[row.family] = row.n;
  return counted;
}
