/** What a model may answer, and the frozen proposal that people approve and the commit executes. */
import { z } from 'zod';
import { digestOf } from './digest.ts';
import { BigintText, ReadSet } from './observation.ts';

/** The value of one tool argument: text, or an integer that JavaScript holds exactly. */
export const Argument = z.union([z.string().max(500), z.int()]);
export type Argument = z.infer<typeof Argument>;

/** Arguments by name. */
export const Arguments = z.record(z.string(), Argument);
export type Arguments = z.infer<typeof Arguments>;

/** A validated reply. `confidence` is 0 to 1 in steps of 0.05, or absent where the model gave none. */
export const Reply = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('act'), tool: z.string(), arguments: Arguments, confidence: z.number().min(0).max(1).optional() }),
  z.strictObject({ decision: z.literal('abstain'), confidence: z.number().min(0).max(1).optional() }),
]);
export type Reply = z.infer<typeof Reply>;

/** A frozen proposal: one tool call, bound to what was read and to a window of time (its shelf life). */
export const Proposal = z.strictObject({
  tool: z.string(),
  arguments: Arguments,
  readSet: ReadSet,
  /** The world's epoch at the read. */
  epoch: BigintText,
  /** The entity's states in which the tool's contract allows the action, as they were at the proposal. */
  allowedStates: z.array(z.string()),
  /** Who proposed, for example `agent:smollm2-135m`: never the approver. */
  proposer: z.string().min(1).max(200),
  /** How long after the request an approval may still be used, in milliseconds; the database's clock decides. */
  windowMs: z.int().min(1),
});
export type Proposal = z.infer<typeof Proposal>;

const digests = new WeakMap<Proposal, string>();

/**
 * Freezes a proposal for good, all the way down, and computes its digest once. What is frozen is what is shown, approved and committed: a change of the caller's
 * object afterwards is an error where it is tried.
 */
export function freezeProposal(proposal: Proposal): Proposal {
  for (const row of proposal.readSet) Object.freeze(row);
  Object.freeze(proposal.readSet);
  Object.freeze(proposal.allowedStates);
  Object.freeze(proposal.arguments);
  digests.set(Object.freeze(proposal), digestOf(proposal));
  return proposal;
}

/** The proposal's digest: tool, arguments, read set, epoch, states, proposer and window; neither confidence nor world id is in it. */
export function proposalDigest(proposal: Proposal): string {
  return digests.get(proposal) ?? digestOf(proposal);
}
