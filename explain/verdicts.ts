/** What every guard would have said at one commit's instant, from what the commit found under its locks. */
import type { BoundaryRow } from '../contract/episode-facts.ts';
import { Clause, type GuardKind } from '../contract/guard.ts';
import { guardLabel } from '../contract/names.ts';

/** A guard as it is named in facts. */
export type NamedGuard = { readonly kind: GuardKind; readonly without: readonly Clause[] };

/** One guard's answer. `lets`: whether the commit would have gone through; null where it cannot be known. `ran`: it is the one that the episode had. */
export type GuardVerdict = { readonly guard: string; readonly kind: GuardKind; readonly without: readonly Clause[]; readonly ran: boolean; readonly lets: boolean | null; readonly why: string };

/** The order in which a predicate asks, which decides what refuses: as in the commit function. */
export const asked: readonly Clause[] = ['notApplied', 'status', 'policy', 'integrity'];

/** None, epoch, version, the full predicate, and the predicate without each clause. */
export const everyGuard: readonly NamedGuard[] = [
  ...(['none', 'epoch', 'version', 'predicate'] as const).map((kind) => ({ kind, without: [] })), ...asked.map((clause) => ({ kind: 'predicate' as const, without: [clause] })),
];

/**
 * The answers of `everyGuard`, and of the episode's own where it is none of them. It is asked of the state alone: approval and op key are asked before any guard,
 * and a guard that ran might have waited for other locks than the one that did.
 */
export function verdictsOf(step: BoundaryRow, own: NamedGuard): readonly GuardVerdict[] {
  const label = guardLabel(own);
  const guards = everyGuard.some((guard) => guardLabel(guard) === label) ? everyGuard : [...everyGuard, own];
  return guards.map((guard) => ({ guard: guardLabel(guard), ...guard, ran: guardLabel(guard) === label, ...answer(guard, step) }));
}

/** The clauses that did not hold under the locks; null where they were not evaluated. */
export function brokenOf({ clauses }: Pick<BoundaryRow, 'clauses'>): readonly Clause[] | null {
  return clauses === null ? null : Clause.options.filter((clause) => !clauses[clause]);
}

/** Whether one guard lets a step through, and why. */
export function answer({ kind, without }: NamedGuard, step: BoundaryRow): { readonly lets: boolean | null; readonly why: string } {
  switch (kind) {
    case 'none': return { lets: true, why: 'it asks nothing of the state' };
    case 'epoch': return compared(step.epochRead, step.epochFound);
    case 'version': return versions(step);
    case 'predicate': return clauses(step, without);
  }
}

const unknown = { lets: null, why: 'what was found is not known' };

function compared(read: string | null, found: string | null): { lets: boolean | null; why: string } {
  if (read === null || found === null) return unknown;
  return read === found ? { lets: true, why: `the world's epoch was still ${read}` } : { lets: false, why: `the world's epoch was read at ${read} and found at ${found}` };
}

function versions({ rows, lockedAt }: BoundaryRow): { lets: boolean | null; why: string } {
  if (rows === null || lockedAt === null) return unknown;
  const moved = rows.filter((row) => row.found !== row.read);
  return moved.length === 0 ? { lets: true, why: 'every row that was read had its version still' }
    : { lets: false, why: moved.map((row) => `${row.table}/${row.key} was read at version ${row.read} and ${row.found === null ? 'was gone' : `found at ${row.found}`}`).join('; ') };
}

function clauses(step: BoundaryRow, without: readonly Clause[]): { lets: boolean | null; why: string } {
  const broken = brokenOf(step);
  if (broken === null) return unknown;
  const refusing = asked.find((clause) => broken.includes(clause) && !without.includes(clause));
  if (refusing !== undefined) return { lets: false, why: `the clause ${refusing} did not hold` };
  return { lets: true, why: broken.length === 0 ? 'every clause held' : `the clause that did not hold (${broken.join(', ')}) is one that it lacks` };
}
