/** The templates of the domain billing. */
import type { Template } from '../scenario.ts';
import { issueCreditNote } from './issue-credit-note.ts';
import { payInvoice } from './pay-invoice.ts';
import { recordInvoice } from './record-invoice.ts';
import { sendPaymentReminder } from './send-payment-reminder.ts';

/** Four; the first one stands for the domain in the pilot. */
export const billingTemplates: readonly Template[] = [recordInvoice, payInvoice, issueCreditNote, sendPaymentReminder];
