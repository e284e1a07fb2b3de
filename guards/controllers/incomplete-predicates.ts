/** Predicate guards whose author forgot one clause, as data (guard-precision, section on incomplete contracts). */
import type { Controller, ControllerName } from '../../contract/controller.ts';
import { guarded } from './commit-guards.ts';

/** Each leaves out the clause that it is named after. */
export const incompletePredicates = {
  'predicate-without-status': guarded('predicate-without-status', 'predicate', ['status']),
  'predicate-without-policy': guarded('predicate-without-policy', 'predicate', ['policy']),
  'predicate-without-integrity': guarded('predicate-without-integrity', 'predicate', ['integrity']),
  'predicate-without-not-applied': guarded('predicate-without-not-applied', 'predicate', ['notApplied']),
} as const satisfies Partial<Record<ControllerName, Controller>>;
