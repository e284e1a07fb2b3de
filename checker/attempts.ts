/** Judges every attempt of some worlds: was the commit safe, was the rejection right, did the guard do what its name says. */
import { Clause, type GuardKind } from '../contract/guard.ts';
import { failures, type Reason } from '../contract/failures.ts';
import type { Queryable } from '../database/pool.ts';
import { ask } from './ask.ts';
import { attemptsSql } from './attempts-sql.ts';
import type { AttemptJudgement, Finding } from './findings.ts';

type Row = {
  world_id: string; id: string; op_key: string; tool: string; guard: GuardKind; without: Clause[]; verdict: 'committed' | 'rejected' | 'closed'; reason: Reason | null;
  rolls_back: string | null; lock_wait_us: string | null; own_epoch: string | null; recorded: (boolean | null)[]; judgeable: boolean; held: boolean[];
  side_effects: number | null; repeated: number | null; as_proposed: boolean | null; versions_match: boolean; epoch_matches: boolean; overlapped: boolean;
};

/** An attempt with what it proves or disproves, and whether it could be judged at all. */
export type JudgedAttempt = { readonly worldId: string; readonly attempt: AttemptJudgement; readonly findings: readonly Finding[]; readonly unjudged: string | null };

const clauseOf: Partial<Record<Reason, Clause>> = { status_violated: 'status', policy_violated: 'policy', integrity_violated: 'integrity', already_applied: 'notApplied', state_diverged: 'status', irreversible_effect: 'integrity' };

/** Every attempt of the worlds, in the order of the ledger. */
export async function judgeAttempts(db: Queryable, worldIds: readonly string[]): Promise<JudgedAttempt[]> {
  return (await ask<Row>(db, attemptsSql, [worldIds])).map(judge);
}

function judge(row: Row): JudgedAttempt {
  const committed = row.verdict === 'committed';
  const failedClauses = row.judgeable ? Clause.options.filter((_, index) => row.held[index] !== true) : [];
  const opKeyDuplicates = committed ? Math.max(0, (row.side_effects ?? 0) - 1) : 0;
  const effectDuplicates = committed ? (row.repeated ?? 0) : 0;
  const attempt: AttemptJudgement = {
    ledgerId: row.id, opKey: row.op_key, tool: row.tool, guard: row.guard, without: row.without, verdict: row.verdict, reason: row.reason, epoch: row.own_epoch, rollsBack: row.rolls_back,
    unsafe: committed && row.judgeable ? failedClauses.length > 0 || opKeyDuplicates > 0 || effectDuplicates > 0 : null,
    failedClauses, ...guardJudgement(row, failedClauses), opKeyDuplicates, effectDuplicates,
    overlapped: row.overlapped, lockWaitUs: row.lock_wait_us === null ? null : Number(row.lock_wait_us),
  };
  return { worldId: row.world_id, attempt, findings: findingsOf(row, attempt), unjudged: unjudgedOf(row) };
}

function guardJudgement(row: Row, failed: readonly Clause[]): Pick<AttemptJudgement, 'guardHeld' | 'wronglyRejected' | 'blockedThoughSafe'> {
  const nothing = { guardHeld: null, wronglyRejected: null, blockedThoughSafe: null };
  if (!row.judgeable) return nothing;
  if (row.verdict === 'committed') return { ...nothing, guardHeld: guardHeld(row, failed) };
  const clause = row.reason === null ? undefined : clauseOf[row.reason];
  if (clause !== undefined) return { ...nothing, wronglyRejected: !failed.includes(clause), blockedThoughSafe: failed.length === 0 };
  if (row.reason === 'read_set_stale') return { ...nothing, wronglyRejected: row.versions_match, blockedThoughSafe: failed.length === 0 };
  if (row.reason === 'epoch_moved') return { ...nothing, wronglyRejected: row.epoch_matches, blockedThoughSafe: failed.length === 0 };
  return nothing;
}

function guardHeld(row: Row, failed: readonly Clause[]): boolean {
  switch (row.guard) {
    case 'none':
      return true;
    case 'epoch':
      return row.epoch_matches;
    case 'version':
      return row.versions_match;
    case 'predicate':
      return failed.every((clause) => row.without.includes(clause));
  }
}

/** What the attempt itself disproves: an effect that is not what was proposed, or clause verdicts in the ledger that the history contradicts. */
function findingsOf(row: Row, attempt: AttemptJudgement): Finding[] {
  const findings: Finding[] = [];
  const say = (proof: Finding['proof'], text: string): void => void findings.push({ worldId: row.world_id, proof, text: `${row.op_key}: ${text}` });
  if (row.verdict === 'committed' && row.as_proposed === false) say('effects', row.rolls_back === null ? 'the side effect is not what was proposed, or is missing' : `what it left of ${row.rolls_back} is not what was there before`);
  if (attempt.opKeyDuplicates > 0) say('effects', `one op key left ${String(row.side_effects)} side effects`);
  if (attempt.guardHeld === false) say('clauses', `the condition of the guard ${row.guard} did not hold just before the commit`);
  if (row.judgeable) {
    const differing = Clause.options.filter((_, index) => (row.recorded[index] === true) !== row.held[index]);
    if (differing.length > 0) say('clauses', `the ledger and the history disagree about ${differing.join(', ')}`);
  }
  return findings;
}

/** Why an attempt cannot be judged though it should be: committed, or rejected by what the guard found. */
function unjudgedOf(row: Row): string | null {
  if (row.judgeable || row.verdict === 'closed') return null;
  const decidedByState = row.verdict === 'committed' || (row.reason !== null && failures[row.reason].kind === 'commit' && !beforeLocks.includes(row.reason));
  return decidedByState ? `${row.op_key}: the attempt of ${row.tool} has no proposal, no history or no predicate to be judged by` : null;
}

/** Refusals of step 1, before any lock: there is no state to hold them against; and a row that is not there has no epoch. */
const beforeLocks: readonly Reason[] = ['payload_conflict', 'op_key_closed', 'contention_exhausted', 'entity_missing'];
