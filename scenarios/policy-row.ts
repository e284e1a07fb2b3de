/** The policy row that a world starts with: the tool is allowed, and who may approve it. */
import type { SeedRow } from './scenario.ts';

/** Who may approve in every world: the simulated approver, a role for demos, and a named person. Compared letter by letter. */
export const approvers: readonly string[] = ['auto', 'supervisor', 'maria.lindqvist'];

/** The seed row of an allowed tool. `maxAmountCents` bounds the amount where the tool has one. */
export function policyRow(tool: string, note: string, maxAmountCents?: number): SeedRow {
  return { table: 'holdpoint.policies', row: { tool, allowed: true, max_amount_cents: maxAmountCents ?? null, approvers: [...approvers], note } };
}

/** The one way in which a policy is withdrawn: the row stays and no longer allows. */
export function withdrawPolicy(tool: string, note: string): { update: string; keyColumn: string; key: string; set: { allowed: boolean; note: string } } {
  return { update: 'holdpoint.policies', keyColumn: 'tool', key: tool, set: { allowed: false, note } };
}
