/** Template: a finance agent books a vendor's credit note before the invoice is paid. */
import { policyRow, withdrawPolicy } from '../policy-row.ts';
import type { Template } from '../scenario.ts';

const tool = 'issue_credit_note';
const purchaseOrder = { update: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: '$purchaseOrderId' };
const invoice = { purchase_order_id: '$purchaseOrderId', invoice_number: '$invoiceNumber', amount_cents: '$invoicedCents' };
const creditNote = { purchase_order_id: '$purchaseOrderId', credit_note_number: '$creditNoteNumber', amount_cents: '$amountCents' };
const credited = { credited_cents: '$amountCents' };

/**
 * The status stays INVOICED, so only the credit notes tell of an earlier effect. A credit is less than half of its invoice: a second booking would still be
 * covered by it, and the amounts alone would not refuse it.
 */
export const issueCreditNote: Template = {
  name: 'issue-credit-note',
  domain: 'billing',
  tool,
  instruction:
    '$vendorName sent a credit note for $cause. Book it before the invoice is paid: {"purchaseOrderId":"$purchaseOrderId","creditNoteNumber":"$creditNoteNumber","amountCents":$amountCents}',
  arguments: { purchaseOrderId: '$purchaseOrderId', creditNoteNumber: '$creditNoteNumber', amountCents: '$amountCents' },
  keys: ['purchaseOrderId'],
  seed: [
    policyRow(tool, "Credit notes up to 1,500.00 without the buyer's signature.", 150_000),
    { table: 'billing.vendors', row: { vendor_id: '$vendorId', name: '$vendorName' } },
    { table: 'billing.purchase_orders', row: { purchase_order_id: '$purchaseOrderId', vendor_id: '$vendorId', status: 'INVOICED', amount_cents: '$invoicedCents', invoiced_cents: '$invoicedCents' } },
    { table: 'billing.postings', row: invoice },
  ],
  effect: [
    { ...purchaseOrder, set: credited },
    { insert: 'billing.credit_notes', row: creditNote },
  ],
  partial: [{ insert: 'billing.credit_notes', row: creditNote }],
  // The payment run was faster: now it is a refund that the vendor owes, and no longer a deduction.
  statusMoved: [
    { ...purchaseOrder, set: { status: 'PAID', paid_cents: '$invoicedCents' } },
    { insert: 'billing.payments', row: invoice },
  ],
  staleHazard: 'status-moved',
  touched: [{ ...purchaseOrder, set: { buyer_note: 'Return slip filed.' } }],
  unresolved: [{ ...purchaseOrder, set: { unresolved_operation: 'issue_credit_note: no answer from the ledger' } }],
  resolved: [{ ...purchaseOrder, set: { unresolved_operation: null } }],
  withdrawn: [withdrawPolicy(tool, 'Month-end close: credit notes go into the next period.')],
  unrelated: [{ insert: 'billing.purchase_orders', row: { purchase_order_id: '$otherPurchaseOrderId', vendor_id: '$vendorId', status: 'OPEN', amount_cents: 48_000, invoiced_cents: 0 } }],
  expected: {
    updated: [{ table: 'billing.purchase_orders', key: '$purchaseOrderId', set: credited }],
    inserted: [{ table: 'billing.credit_notes', row: creditNote }],
  },
  instances: [
    { purchaseOrderId: 'po-5218', creditNoteNumber: 'CN-4471', amountCents: 38_400, cause: 'four dented shelves that went back', invoiceNumber: 'INV-90812', invoicedCents: 307_200, vendorId: 'ven-127', vendorName: 'Halvorsen Shelving', otherPurchaseOrderId: 'po-5219' },
    { purchaseOrderId: 'po-5346', creditNoteNumber: 'GS-1180', amountCents: 12_750, cause: 'a box of gloves that never arrived', invoiceNumber: 'R-77034', invoicedCents: 89_250, vendorId: 'ven-233', vendorName: 'Lindenau Arbeitsschutz', otherPurchaseOrderId: 'po-5347' },
    { purchaseOrderId: 'po-5507', creditNoteNumber: 'AV-0296', amountCents: 121_000, cause: 'a projector billed twice', invoiceNumber: 'F-18855', invoicedCents: 363_000, vendorId: 'ven-091', vendorName: 'Studio Perrichon', otherPurchaseOrderId: 'po-5508' },
    { purchaseOrderId: 'po-5733', creditNoteNumber: 'CR-3059', amountCents: 6_320, cause: 'the discount that the invoice left out', invoiceNumber: 'INV-24417', invoicedCents: 126_400, vendorId: 'ven-318', vendorName: 'Saltmarsh Coffee Roasters', otherPurchaseOrderId: 'po-5734' },
  ],
};
