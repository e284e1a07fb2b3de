/** Worlds and spoilers of the further tools of the domain billing. */
import type { Row } from '../../../contract/change.ts';
import { policyRow, withdrawal, type Spoiler, type ToolCase } from './tool-cases.ts';

const world = (tool: string, { policy = {}, order }: { policy?: Row; order: Row }): ToolCase['rows'] => [
  policyRow(tool, policy),
  { table: 'billing.vendors', row: { vendor_id: 'v1', name: 'Paper Ltd' } },
  { table: 'billing.vendors', row: { vendor_id: 'v2', name: 'Ink Ltd' } },
  { table: 'billing.purchase_orders', row: { purchase_order_id: 'p1', vendor_id: 'v1', amount_cents: 5000, invoiced_cents: 5000, ...order } },
  { table: 'billing.postings', row: { purchase_order_id: 'p1', invoice_number: 'INV-1', amount_cents: 5000 } },
];
const set = (text: string): string => `update billing.purchase_orders set ${text} where world_id = $1 and purchase_order_id = 'p1'`;
const posting = (number: string, cents: number): string => `insert into billing.postings (world_id, purchase_order_id, invoice_number, amount_cents) values ($1, 'p1', '${number}', ${String(cents)})`;
const payment = (number: string, cents: number): string => `insert into billing.payments (world_id, purchase_order_id, invoice_number, amount_cents) values ($1, 'p1', '${number}', ${String(cents)})`;
const credit = (number: string, cents: number): string => `insert into billing.credit_notes (world_id, purchase_order_id, credit_note_number, amount_cents) values ($1, 'p1', '${number}', ${String(cents)})`;
const reminder = (level: number): string => `insert into billing.reminders (world_id, purchase_order_id, level, amount_cents) values ($1, 'p1', ${String(level)}, 1000)`;
const lowered = (tool: string): Spoiler => ({ clause: 'policy', how: 'the limit is lowered', statements: [`update holdpoint.policies set max_amount_cents = 10 where world_id = $1 and tool = '${tool}'`] });

/** By tool. */
export const billingCases: Readonly<Record<string, ToolCase>> = {
  pay_invoice: {
    args: { purchaseOrderId: 'p1', vendorId: 'v1', invoiceNumber: 'INV-1', amountCents: 5000 },
    otherArgs: { purchaseOrderId: 'p1', vendorId: 'v1', invoiceNumber: 'INV-2', amountCents: 7000 },
    rows: world('pay_invoice', { policy: { max_amount_cents: 10_000 }, order: { status: 'INVOICED' } }),
    spoilers: [
      { clause: 'status', how: 'the purchase order is disputed', statements: [set(`status = 'DISPUTED'`)] },
      { clause: 'status', how: 'an operation is left open', statements: [set(`unresolved_operation = 'pay_invoice'`)] },
      { clause: 'status', how: 'the vendor is blocked', statements: [`update billing.vendors set payment_blocked = true where world_id = $1 and vendor_id = 'v1'`] },
      { clause: 'status', how: 'the purchase order moves to another vendor', statements: [set(`vendor_id = 'v2'`)] },
      { clause: 'status', how: 'a credit note leaves less to pay', statements: [credit('CN-1', 500), set('credited_cents = 500')] },
      { clause: 'status', how: 'a part is paid', statements: [payment('INV-0', 500), set('paid_cents = 500')] },
      { clause: 'status', how: 'the invoice gets another number', statements: [`update billing.postings set invoice_number = 'INV-1a' where world_id = $1 and purchase_order_id = 'p1'`] },
      withdrawal('pay_invoice'),
      lowered('pay_invoice'),
      { clause: 'integrity', how: 'a payment is inserted without its sum', statements: [payment('INV-9', 100)] },
      // The amount alone does not tell: the second invoice is as high as the first.
      { clause: 'notApplied', how: 'somebody else pays the invoice, and another one is booked', statements: [payment('INV-1', 5000), posting('INV-2', 5000), set('paid_cents = 5000, invoiced_cents = 10000')] },
    ],
  },
  issue_credit_note: {
    args: { purchaseOrderId: 'p1', creditNoteNumber: 'CN-1', amountCents: 1000 },
    otherArgs: { purchaseOrderId: 'p1', creditNoteNumber: 'CN-2', amountCents: 700 },
    rows: world('issue_credit_note', { policy: { max_amount_cents: 2000 }, order: { status: 'INVOICED' } }),
    spoilers: [
      { clause: 'status', how: 'the purchase order is paid', statements: [payment('INV-1', 5000), set(`paid_cents = 5000, status = 'PAID'`)] },
      { clause: 'status', how: 'an operation is left open', statements: [set(`unresolved_operation = 'issue_credit_note'`)] },
      { clause: 'status', how: 'another credit note leaves too little of the invoice', statements: [credit('CN-9', 4500), set('credited_cents = 4500')] },
      withdrawal('issue_credit_note'),
      lowered('issue_credit_note'),
      { clause: 'integrity', how: 'a credit note is inserted without its sum', statements: [credit('CN-9', 100)] },
      { clause: 'notApplied', how: 'somebody else books the same credit note', statements: [credit('CN-1', 1000), set('credited_cents = 1000')] },
    ],
  },
  send_payment_reminder: {
    args: { purchaseOrderId: 'p1', level: 2, amountCents: 1000 },
    otherArgs: { purchaseOrderId: 'p1', level: 1, amountCents: 1000 },
    rows: [
      ...world('send_payment_reminder', { order: { status: 'PAID', paid_cents: 5000, credited_cents: 1000, reminder_level: 1 } }),
      { table: 'billing.reminders', row: { purchase_order_id: 'p1', level: 1, amount_cents: 1000 } },
    ],
    spoilers: [
      { clause: 'status', how: 'the refund arrives', statements: [set(`status = 'CLOSED'`)] },
      { clause: 'status', how: 'an operation is left open', statements: [set(`unresolved_operation = 'send_payment_reminder'`)] },
      { clause: 'status', how: 'a second credit note makes the refund higher', statements: [credit('CN-2', 300), set('credited_cents = 1300')] },
      { clause: 'status', how: 'the third reminder goes out', statements: [reminder(3), set('reminder_level = 3')] },
      withdrawal('send_payment_reminder'),
      { clause: 'integrity', how: 'a reminder is inserted that the purchase order does not show', statements: [reminder(3)] },
      { clause: 'notApplied', how: 'somebody else sends the same reminder', statements: [reminder(2), set('reminder_level = 2')] },
    ],
  },
};
