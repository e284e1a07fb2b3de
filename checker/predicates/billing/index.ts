/** The predicates of the domain billing. */
import type { Predicate } from '../predicate.ts';
import { issueCreditNotePredicate } from './issue-credit-note.ts';
import { payInvoicePredicate } from './pay-invoice.ts';
import { recordInvoicePredicate } from './record-invoice.ts';
import { sendPaymentReminderPredicate } from './send-payment-reminder.ts';

/** One a tool. */
export const billingPredicates: readonly Predicate[] = [recordInvoicePredicate, payInvoicePredicate, issueCreditNotePredicate, sendPaymentReminderPredicate];
