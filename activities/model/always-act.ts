/** A proposer without a model: it always acts, and proposes the template's mutation (guard-precision's always-acting proposer, the reference for its counts). */
import { digestOf } from '../../contract/digest.ts';
import type { Arguments } from '../../contract/proposal.ts';
import type { Proposed } from './proposed.ts';

/** The proposal. Nothing is asked or frozen: the digest only names the reply. It has no confidence. */
export function alwaysAct(plan: { readonly tool: string; readonly arguments: Arguments }): Extract<Proposed, { kind: 'act' }> {
  const reply = { decision: 'act' as const, tool: plan.tool, arguments: plan.arguments };
  return { kind: 'act', reply, replyDigest: digestOf({ model: 'always-act', reply }), asked: false, attempts: [] };
}
