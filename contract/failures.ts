/** The registry of failures: the only vocabulary in which Holdpoint says why something did not happen. */

/** What the engine does with a failure: nothing more (`COMPLETED`: the goal is there), ask again (`REPLAN`), or hand to a person (`ESCALATE`). */
export type Disposition = 'COMPLETED' | 'REPLAN' | 'ESCALATE';

/** An entry: where it arises, whether the same call may succeed later, what the engine does with it, and its one sentence. */
export type FailureEntry = { readonly kind: 'commit' | 'approval' | 'model' | 'infrastructure'; readonly retryable: boolean; readonly disposition: Disposition; readonly sentence: string };

const commit = (disposition: Disposition, sentence: string): FailureEntry => ({ kind: 'commit', retryable: false, disposition, sentence });
const approval = (disposition: Disposition, sentence: string): FailureEntry => ({ kind: 'approval', retryable: false, disposition, sentence });
const model = (sentence: string, retryable = false): FailureEntry => ({ kind: 'model', retryable, disposition: 'ESCALATE', sentence });
const infrastructure = (retryable: boolean, sentence: string): FailureEntry => ({ kind: 'infrastructure', retryable, disposition: 'ESCALATE', sentence });

/** Reason to entry. A reason that is not here cannot be stored: the ledger's check refuses it. */
export const failures = {
  // refused inside the commit's transaction
  epoch_moved: commit('REPLAN', 'Something in this world changed since the read.'),
  read_set_stale: commit('REPLAN', 'A row that the proposal was based on has another version now.'),
  entity_missing: commit('REPLAN', 'A row that the proposal names does not exist.'),
  status_violated: commit('ESCALATE', 'The operational status does not allow the action.'),
  policy_violated: commit('ESCALATE', 'The policy does not allow the action.'),
  integrity_violated: commit('ESCALATE', 'The records contradict each other.'),
  already_applied: commit('COMPLETED', 'The effect is already there.'),
  invalid_arguments: commit('ESCALATE', 'The arguments are not what the tool takes.'),
  state_diverged: commit('ESCALATE', 'A row that the commit wrote is not as it left it: somebody has written to it since.'),
  irreversible_effect: commit('ESCALATE', 'The commit had an effect that leaves the database: restoring rows does not take it back.'),
  payload_conflict: commit('ESCALATE', 'The op key was used with another proposal.'),
  evidence_returned: commit('REPLAN', 'The step was given up because evidence about it went back to the proposer.'),
  op_key_closed: commit('ESCALATE', 'The op key is closed: the step was given up before it could commit.'),
  edited: commit('REPLAN', 'A person put other arguments in place of the proposed ones: that is a new proposal.'),
  contention_exhausted: { kind: 'commit', retryable: true, disposition: 'REPLAN', sentence: 'Too many concurrent transactions: the bound of reruns was reached.' },
  // about the approval, inside the commit's transaction or at the door
  approval_missing: approval('ESCALATE', 'No request or no decision exists for this op key.'),
  approval_rejected: approval('ESCALATE', 'The request was rejected.'),
  proposal_expired: approval('REPLAN', 'The proposal outlived its window.'),
  stale_proposal: approval('REPLAN', 'The decision is for another proposal than the pending one.'),
  not_authorised: approval('ESCALATE', 'This approver may not decide about this tool, or is the proposer.'),
  not_authenticated: approval('ESCALATE', 'Nothing proves who decided: the token is unknown, expired or revoked, or the policy asks for one and there is none.'),
  handed_on: approval('ESCALATE', 'The request was handed on and waits for somebody else.'),
  unfit_handover: approval('ESCALATE', 'It cannot be handed on there: nobody else on the policy\'s list would be asked, or too few for the approvals that are needed.'),
  out_of_scope: approval('ESCALATE', 'The token was not made for this, or not for this tool.'),
  too_many_edits: approval('ESCALATE', 'The proposals of this episode were edited as often as they may be.'),
  already_decided: approval('ESCALATE', 'The request is decided already.'),
  unknown_or_closed_request: approval('ESCALATE', 'No such request is pending in this episode.'),
  already_closed: approval('ESCALATE', 'The episode has ended.'),
  malformed_decision: approval('ESCALATE', 'The decision is not of the expected form.'),
  cancelled: approval('ESCALATE', 'The episode was cancelled before the commit.'),
  // the model's reply is untrusted text
  empty_content: model('The model answered with nothing.'),
  model_truncated: model('The reply was cut at the token limit.', true),
  not_json: model('The reply is not one JSON value.'),
  duplicate_key: model('The reply names a key twice.'),
  schema_violation: model('The reply has not the asked form.'),
  confidence_out_of_scale: model('The confidence is not a number from 0 to 1.'),
  unknown_tool: model('The reply names a tool that was not offered.'),
  unread_entity: model('The reply names an entity that was not read.'),
  model_missing: model('The model server does not have this model.'),
  model_unreachable: model('The model server does not answer.', true),
  model_busy: model('The model server is busy.', true),
  model_timeout: model('The model did not answer in time.', true),
  model_error: model('The model server answered with an error.', true),
  // everything else
  commit_unknown: infrastructure(true, 'The connection was lost after COMMIT was sent: the outcome must be settled.'),
  database_unavailable: infrastructure(true, 'The database cannot be reached or has shut the connection.'),
  database_contention: infrastructure(true, 'Serialisation failures or deadlocks outlasted the reruns.'),
  database_refused: infrastructure(false, 'The database refused the statement.'),
  malformed_input: infrastructure(false, 'The input is not of the expected form.'),
  unknown_case: infrastructure(false, 'No scenario has this case id.'),
} as const satisfies Record<string, FailureEntry>;

/** A reason: a key of the registry. */
export type Reason = keyof typeof failures;

/** Whether a text is a reason of the registry. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(failures, text);
}
