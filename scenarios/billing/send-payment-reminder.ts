/** Template: a finance agent reminds a vendor for the second time of a refund that did not come. */
import { policyRow, withdrawPolicy } from '../policy-row.ts';
import type { Template } from '../scenario.ts';

const tool = 'send_payment_reminder';
const purchaseOrder = { update: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: '$purchaseOrderId' };
const ofIt = { purchase_order_id: '$purchaseOrderId' };
const reminder = { ...ofIt, level: 2, amount_cents: '$refundCents' };
const reminded = { reminder_level: 2 };

/**
 * The invoice was paid in full, then a credit note came: the vendor owes the difference. The status stays PAID, so only the reminders tell of an earlier
 * effect, and one of them is always there: the first level, which is no reason to hold the second back.
 */
export const sendPaymentReminder: Template = {
  name: 'send-payment-reminder',
  domain: 'billing',
  tool,
  instruction:
    '$vendorName was paid in full before its credit note $creditNoteNumber came, and has not answered our first reminder of the refund. Send the second one: {"purchaseOrderId":"$purchaseOrderId","level":2,"amountCents":$refundCents}',
  arguments: { purchaseOrderId: '$purchaseOrderId', level: 2, amountCents: '$refundCents' },
  keys: ['purchaseOrderId'],
  seed: [
    policyRow(tool, 'Reminders go out a fortnight apart; the third one names the lawyers.'),
    { table: 'billing.vendors', row: { vendor_id: '$vendorId', name: '$vendorName' } },
    {
      table: 'billing.purchase_orders',
      row: {
        ...ofIt, vendor_id: '$vendorId', status: 'PAID', amount_cents: '$invoicedCents', invoiced_cents: '$invoicedCents', paid_cents: '$invoicedCents',
        credited_cents: '$refundCents', reminder_level: 1, buyer_note: 'Credit note came after the payment: refund open.',
      },
    },
    { table: 'billing.postings', row: { ...ofIt, invoice_number: '$invoiceNumber', amount_cents: '$invoicedCents' } },
    { table: 'billing.payments', row: { ...ofIt, invoice_number: '$invoiceNumber', amount_cents: '$invoicedCents' } },
    { table: 'billing.credit_notes', row: { ...ofIt, credit_note_number: '$creditNoteNumber', amount_cents: '$refundCents' } },
    { table: 'billing.reminders', row: { ...ofIt, level: 1, amount_cents: '$refundCents' } },
  ],
  effect: [
    { ...purchaseOrder, set: reminded },
    { insert: 'billing.reminders', row: reminder },
  ],
  partial: [{ insert: 'billing.reminders', row: reminder }],
  statusMoved: [{ ...purchaseOrder, set: { status: 'CLOSED', buyer_note: 'Refund is on the account: nothing open.' } }],
  staleHazard: 'status-moved',
  touched: [{ ...purchaseOrder, set: { buyer_note: '$call' } }],
  unresolved: [{ ...purchaseOrder, set: { unresolved_operation: 'send_payment_reminder: no answer from the mail gateway' } }],
  resolved: [{ ...purchaseOrder, set: { unresolved_operation: null } }],
  withdrawn: [withdrawPolicy(tool, 'No reminders while the new letter is with the lawyers.')],
  unrelated: [{ insert: 'billing.purchase_orders', row: { purchase_order_id: '$otherPurchaseOrderId', vendor_id: '$vendorId', status: 'OPEN', amount_cents: 52_500, invoiced_cents: 0 } }],
  expected: {
    updated: [{ table: 'billing.purchase_orders', key: '$purchaseOrderId', set: reminded }],
    inserted: [{ table: 'billing.reminders', row: reminder }],
  },
  instances: [
    { purchaseOrderId: 'po-4029', refundCents: 45_600, invoicedCents: 228_000, invoiceNumber: 'INV-51190', creditNoteNumber: 'CN-0883', vendorId: 'ven-156', vendorName: 'Tidewell Office Chairs', call: 'Called their switchboard: no accounts department before Monday.', otherPurchaseOrderId: 'po-4030' },
    { purchaseOrderId: 'po-4161', refundCents: 17_990, invoicedCents: 71_960, invoiceNumber: 'R-20365', creditNoteNumber: 'GS-2207', vendorId: 'ven-241', vendorName: 'Rothbauer Elektronik', call: 'First reminder went to accounts and to the sales contact.', otherPurchaseOrderId: 'po-4162' },
    { purchaseOrderId: 'po-4388', refundCents: 96_200, invoicedCents: 481_000, invoiceNumber: 'F-66012', creditNoteNumber: 'AV-0914', vendorId: 'ven-064', vendorName: 'Menuiserie Delcourt-Bry', call: 'Their number rings out: asked the buyer for another one.', otherPurchaseOrderId: 'po-4389' },
    { purchaseOrderId: 'po-4502', refundCents: 8_450, invoicedCents: 33_800, invoiceNumber: 'INV-10277', creditNoteNumber: 'CR-5561', vendorId: 'ven-329', vendorName: 'Applegarth Signs', call: 'Copy of the credit note filed.', otherPurchaseOrderId: 'po-4503' },
  ],
};
