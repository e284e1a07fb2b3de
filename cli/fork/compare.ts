/** Both sides of a fork as the database tells them, and what the other guard made of the same commit. */
import { guardLabel } from '../../contract/names.ts';
import type { EpisodeOutcome } from '../../contract/outcome.ts';
import { boundaryOf } from '../../database/audit.ts';
import { episodeOf } from '../../database/episodes.ts';
import type { OthersWrite } from '../../database/forks.ts';
import type { Pool } from '../../database/pool.ts';
import { UserError } from '../output.ts';
import { scoreWith } from '../runtime/score.ts';
import type { Origin } from './origin.ts';

/** The judge's word now, or why there is none. */
type Judged = { readonly unsafe: boolean; readonly duplicates: number; readonly failedClauses: readonly string[]; readonly integrity: string } | { readonly unjudged: string };

type Boundary = Awaited<ReturnType<typeof boundaryOf>>[number];

/** One side. `boundary`: of the commit that is compared; null where the fork did not get as far as a proposal. */
export type Side = { readonly episodeId: string; readonly guard: string; readonly outcome: EpisodeOutcome; readonly boundary: Boundary | null; readonly judged: Judged };

/** What `holdpoint fork --json` prints. */
export type Comparison = {
  readonly origin: Side; readonly fork: Side;
  /** Whether both sides committed or tried to commit the same digest. */
  readonly sameProposal: boolean;
  /** What others wrote before the commit, made again in this order. */
  readonly replayed: readonly OthersWrite[];
  /** What the recorded history has after the commit: nothing is said about what it would have met. */
  readonly notClaimed: readonly OthersWrite[];
  readonly inWords: string;
};

/** Reads both sides and judges both anew. @throws UserError where the fork left no end */
export async function compare(db: Pool, { episode, point, others }: Origin, forkId: string): Promise<Comparison> {
  const [origin, fork] = [await sideOf(db, episode.episodeId, point.opKey), await sideOf(db, forkId, `${forkId}:1`)];
  return {
    origin, fork, sameProposal: fork.boundary?.digest === point.digest,
    replayed: others.filter((write) => write.before), notClaimed: others.filter((write) => !write.before),
    inWords: `Under ${origin.guard} it was ${verdictOf(origin)}; under ${fork.guard} it was ${verdictOf(fork)}.`,
  };
}

async function sideOf(db: Pool, episodeId: string, opKey: string): Promise<Side> {
  const [row, steps] = await Promise.all([episodeOf(db, episodeId), boundaryOf(db, episodeId)]);
  if (row === undefined || row.outcome === null) throw new UserError(`The episode "${episodeId}" has no end to compare.`);
  const { unjudged, ...score } = await scoreWith(db)({ episodeId, worldId: row.worldId, caseId: row.caseId });
  const { unsafe, duplicates, failedClauses, integrity } = score as unknown as Exclude<Judged, { unjudged: string }>;
  const judged: Judged = typeof unjudged === 'string' ? { unjudged } : { unsafe, duplicates, failedClauses, integrity };
  return { episodeId, guard: guardLabel({ kind: row.guard, without: row.without }), outcome: row.outcome, boundary: steps.find((step) => step.opKey === opKey) ?? null, judged };
}

/** What became of the commit, in a few words. */
export function verdictOf({ boundary, outcome, judged }: Side): string {
  if (boundary?.outcome === 'committed') return `committed, ${'unjudged' in judged ? 'and cannot be judged' : !judged.unsafe ? 'safely' : `unsafely (${judged.failedClauses.join(', ') || 'a duplicate'})`}`;
  if (boundary?.outcome === 'refused') return `refused by ${boundary.refusedBy ?? 'nothing known'} (${boundary.reason ?? 'unstated'})`;
  return `not tried (${outcome.class}${outcome.reason === null ? '' : `, ${outcome.reason}`})`;
}
