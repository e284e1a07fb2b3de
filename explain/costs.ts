/** What every guard would have cost and stopped over many episodes, by what their commits found under their locks. */
import { guardLabel } from '../contract/names.ts';
import { explain, type Known } from './explain.ts';
import { answer, everyGuard } from './verdicts.ts';

/**
 * One guard over the episodes whose commit was evaluated under its locks. `right`: attempts at which every clause held, committed or not; `rightBlocked`: of
 * those, the ones that this guard refuses. `leaks`: commits that leaked; `leaksStopped`: of those, the ones that it refuses. A case that ran under four guards counts four times.
 */
export type GuardCost = { readonly guard: string; readonly right: number; readonly rightBlocked: number; readonly leaks: number; readonly leaksStopped: number };

/** Counts them, for every guard of `everyGuard`. */
export function costsOf(episodes: readonly Known[]): readonly GuardCost[] {
  const told = episodes.flatMap((facts) => {
    const { verdict, step: number, clauses } = explain(facts);
    const step = facts.steps.find((one) => one.step === number);
    return step === undefined || clauses === null ? [] : [{ verdict, step }];
  });
  const right = told.filter(({ verdict }) => verdict === 'safe' || verdict === 'blocked');
  const leaks = told.filter(({ verdict }) => verdict === 'leak');
  return everyGuard.map((guard) => {
    const refused = (some: typeof told): number => some.filter(({ step }) => answer(guard, step).lets === false).length;
    return { guard: guardLabel(guard), right: right.length, rightBlocked: refused(right), leaks: leaks.length, leaksStopped: refused(leaks) };
  });
}

/** The counts of two sets of episodes together. */
export function addCosts(some: readonly GuardCost[], others: readonly GuardCost[]): readonly GuardCost[] {
  return some.map((one, at) => {
    const { right = 0, rightBlocked = 0, leaks = 0, leaksStopped = 0 } = others[at] ?? {};
    return { guard: one.guard, right: one.right + right, rightBlocked: one.rightBlocked + rightBlocked, leaks: one.leaks + leaks, leaksStopped: one.leaksStopped + leaksStopped };
  });
}
