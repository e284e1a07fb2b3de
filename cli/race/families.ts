/** What strikes a commit while it runs: the five families of the race, and what each does to each tool's target. */
import type { Change } from '../../contract/change.ts';
import type { Clause } from '../../contract/guard.ts';

/** `unrelated` is the only one that makes no commit wrong; `duplicate` is the same proposal under another op key, and no change of its own. */
export const families = ['policy', 'status', 'duplicate', 'unrelated', 'hold'] as const;
export type Family = (typeof families)[number];

/** The clause that a family makes fail; null where it makes none fail. An unsafe commit counts for its family only where this clause was among those that failed. */
export const clauseOfFamily: Readonly<Record<Family, Clause | null>> = { policy: 'policy', status: 'status', duplicate: 'notApplied', unrelated: null, hold: 'status' };

/** A change and the one that takes it back. */
export type Strike = { readonly away: readonly Change[]; readonly back: readonly Change[] };

/** Withdraws a tool's policy and allows it again. */
export function policyStrike(tool: string): Strike {
  const set = (allowed: boolean): Change[] => [{ update: 'holdpoint.policies', keyColumn: 'tool', key: tool, set: { allowed } }];
  return { away: set(false), back: set(true) };
}

/** Sets one column of one row, and sets it back. */
export function cellStrike(row: { readonly update: string; readonly keyColumn: string; readonly key: string }, column: string, values: readonly [away: string, back: string]): Strike {
  return { away: [{ ...row, set: { [column]: values[0] } }], back: [{ ...row, set: { [column]: values[1] } }] };
}
