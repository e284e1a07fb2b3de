/** The predicates of the domain billing. */
import type { Predicate } from '../predicate.ts';
import { recordInvoicePredicate } from './record-invoice.ts';

/** One a tool. */
export const billingPredicates: readonly Predicate[] = [recordInvoicePredicate];
