/** An edit ends a request in favour of another one: the person's arguments, on a world that is read again, for others to decide about. */
import type { Block, EditRef, Proposed } from '../activities/types.ts';
import type { Approval } from '../contract/approval.ts';
import { failures, type Reason } from '../contract/failures.ts';
import type { EpisodeClass } from '../contract/outcome.ts';

/** What ends a step whose proposal was edited. */
export const wasEdited: Block = { reason: 'edited', expected: 'a decision about the proposal', found: 'an edit' };

/** What the next step proposes: the edit that ended this one, else the one that was proposed before, which nobody has taken back. */
export function editRef(decided: Approval | null, before: EditRef | null): EditRef | null {
  const [decisionId] = decided?.verdict === 'edit' ? (decided.decisionIds ?? []) : [];
  return decisionId === undefined ? before : { decisionId };
}

/** How an episode ends whose proposer's answer came to nothing: a person's is not the model's failure. */
export function failedClass(proposed: Extract<Proposed, { kind: 'failed' }>, edit: EditRef | null): EpisodeClass {
  return edit === null ? 'model_failure' : refusedClass(proposed.reason);
}

function refusedClass(reason: Reason): EpisodeClass {
  return failures[reason].kind === 'approval' ? 'not_approved' : 'refused';
}
