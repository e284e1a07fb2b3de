/** The tool contracts of the domain billing. */
import type { ToolContract } from '../../tool-contract.ts';
import { issueCreditNote } from './issue-credit-note.ts';
import { payInvoice } from './pay-invoice.ts';
import { recordInvoice } from './record-invoice.ts';
import { sendPaymentReminder } from './send-payment-reminder.ts';

/** In the order of the templates. */
export const billingTools: readonly ToolContract[] = [recordInvoice, payInvoice, issueCreditNote, sendPaymentReminder];
