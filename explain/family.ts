/** What kind of leak it was, told by the clauses that did not hold. */
import type { Clause } from '../contract/guard.ts';

/** `duplicate`: the effect was there already. `integrity`: the records contradicted each other. `none`: nothing tells. */
export const families = ['status', 'policy', 'integrity', 'duplicate', 'none'] as const;
export type Family = (typeof families)[number];

/**
 * The family of broken clauses. Where several are broken, the one that explains the others: records that contradict each other come from work that stopped
 * half way, which also leaves a first effect; an effect that is there has usually moved the status too. `duplicates`: side effects that the judge counted twice.
 */
export function familyOf(broken: readonly Clause[], duplicates = 0): Family {
  if (broken.includes('integrity')) return 'integrity';
  if (broken.includes('notApplied')) return 'duplicate';
  if (broken.includes('policy')) return 'policy';
  if (broken.includes('status')) return 'status';
  return duplicates > 0 ? 'duplicate' : 'none';
}

/** Each family in words, as a sentence's end. */
export const familyWords: Readonly<Record<Family, string>> = {
  status: 'the entity was no longer in a state in which the action is allowed',
  policy: 'the policy did not allow the action',
  integrity: 'the records contradicted each other',
  duplicate: 'the effect was there already and was made a second time',
  none: 'by which clause is not known',
};
