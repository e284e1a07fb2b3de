/** The leaks under docs/leaks: how each came about, which is what its explanation must find out. */
import type { Case } from '../../contract/case.ts';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';

/** `truth`: the case whose hazard struck. `race`: it strikes while a person thinks, instead of racing the commit, which it might lose. */
export type Leak = { readonly name: string; readonly input: EpisodeInputGiven; readonly truth: Case; readonly race: boolean };

const truthOf = (template: string, condition: Case['condition']): Case => ({ template, instance: 0, condition });

export const leaks: readonly Leak[] = [
  { name: 'parcel', truth: truthOf('change-delivery-address', 'stale-read'), race: false, input: { caseId: 'change-delivery-address/0/stale-read', guard: { kind: 'none' } } },
  { name: 'invoice', truth: truthOf('record-invoice', 'concurrent-mutation'), race: true, input: { caseId: 'record-invoice/0/clean', guard: { kind: 'predicate', without: ['policy'] } } },
  { name: 'credit-note', truth: truthOf('issue-credit-note', 'delayed-visibility'), race: false, input: { caseId: 'issue-credit-note/0/delayed-visibility', guard: { kind: 'predicate', without: ['notApplied'] } } },
];
