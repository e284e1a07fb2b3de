/** What is asked in one episode, by name only: the hidden truth of a case stays in the scenarios. */
import { z } from 'zod';

/** The four operational domains, each a schema of real tables. */
export const Domain = z.enum(['orders', 'billing', 'access', 'deployments']);
export type Domain = z.infer<typeof Domain>;

/** The infrastructure conditions of the study (guard-precision, section on faults): clean and five fault families. */
export const Condition = z.enum(['clean', 'stale-read', 'delayed-visibility', 'timeout-after-commit', 'partial-success', 'concurrent-mutation']);
export type Condition = z.infer<typeof Condition>;

/** A case's twin: `hazardous` invalidates the action, `benign` moves the same telemetry and versions without invalidating it, `clean` does neither. */
export const Twin = z.enum(['clean', 'hazardous', 'benign']);
export type Twin = z.infer<typeof Twin>;

/** One cell of a design. Even instances of a non-clean condition are hazardous, odd ones their benign twins. */
export const Case = z.strictObject({ template: z.string().regex(/^[a-z][a-z-]*$/), instance: z.int().min(0).max(99), condition: Condition });
export type Case = z.infer<typeof Case>;

/** The twin that an instance's number stands for. */
export function twinOf(cell: Case): Twin {
  if (cell.condition === 'clean') return 'clean';
  return cell.instance % 2 === 0 ? 'hazardous' : 'benign';
}

/** A case's id, `template/instance/condition`: the only form in which a case crosses a workflow. */
export function caseId(cell: Case): string {
  return `${cell.template}/${String(cell.instance)}/${cell.condition}`;
}

/** Reads a case id. @throws z.ZodError where it is none. */
export function parseCaseId(id: string): Case {
  const [template, instance, condition, ...rest] = id.split('/');
  return Case.parse({ template, instance: /^\d+$/.test(instance ?? '') ? Number(instance) : instance, condition: rest.length === 0 ? condition : rest });
}
