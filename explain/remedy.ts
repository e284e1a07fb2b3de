/** The smallest change that would have stopped a commit: of the clauses first, which block nothing that is right, then of the guards that look at versions. */
import type { Clause } from '../contract/guard.ts';
import type { GuardVerdict, NamedGuard } from './verdicts.ts';

/** `clauses`: any one of them, asked by a predicate, is enough. `guards`: every guard of the list that would have refused. `text`: a sentence for people. */
export type Remedy = { readonly clauses: readonly Clause[]; readonly guards: readonly string[]; readonly text: string };

/** Of a step that leaked. @param broken the clauses that did not hold under its locks */
export function remedyOf(own: NamedGuard, verdicts: readonly GuardVerdict[], broken: readonly Clause[]): Remedy {
  const guards = verdicts.filter((verdict) => verdict.lets === false).map((verdict) => verdict.guard);
  const byVersion = (['version', 'epoch'] as const).map((kind) => `${kind} guard: ${yesNo(verdicts.find((verdict) => verdict.kind === kind))}`).join('; ');
  return { clauses: broken, guards, text: `${change(own, broken)}. ${byVersion}; predicate: ${predicate(own, broken)}.` };
}

const either = (broken: readonly Clause[]): string => broken.join(' or the ');

function change(own: NamedGuard, broken: readonly Clause[]): string {
  if (broken.length === 0) return 'No guard of the state would have stopped it';
  if (own.kind === 'predicate') return `Smallest change: put the ${either(broken)} clause back into the predicate`;
  return `Smallest change: a predicate that asks the ${either(broken)} clause`;
}

function predicate(own: NamedGuard, broken: readonly Clause[]): string {
  if (broken.length === 0) return 'no';
  return own.kind === 'predicate' ? `only with the ${either(broken)} clause, which this contract lacks` : `yes, by the ${either(broken)} clause`;
}

function yesNo(verdict: GuardVerdict | undefined): string {
  if (verdict?.lets === undefined || verdict.lets === null) return 'cannot be known';
  return verdict.lets ? `no, ${verdict.why}` : `yes, ${verdict.why}`;
}
