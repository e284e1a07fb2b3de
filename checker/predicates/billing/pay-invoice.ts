/** When a vendor's invoice may be paid, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const ofIt = (table: string, name: string): string => `${rowsAt(`'${table}'`)} ${name} where ${name}.r ->> 'purchase_order_id' = q.args ->> 'purchaseOrderId'`;
const itsPayments = ofIt('billing.payments', 'paid');

/**
 * The invoice is booked on a purchase order of this vendor, who is not blocked; nothing is open in operations; paying leaves nothing owed, credit notes
 * counted; the amount is within the limit where there is one; what the order says was paid is what was; and no payment of this invoice is among it.
 */
export const payInvoicePredicate: Predicate = {
  tool: 'pay_invoice',
  subjects: {
    purchase: rowAt("'billing.purchase_orders'", `q.args ->> 'purchaseOrderId'`), payee: rowAt("'billing.vendors'", `q.args ->> 'vendorId'`),
    rule: rowAt("'holdpoint.policies'", `'pay_invoice'`),
  },
  status: `purchase ->> 'status' = 'INVOICED' and purchase ->> 'unresolved_operation' is null
    and purchase -> 'vendor_id' = q.args -> 'vendorId' and payee ->> 'payment_blocked' = 'false'
    and (purchase ->> 'paid_cents')::numeric + (q.args ->> 'amountCents')::numeric + (purchase ->> 'credited_cents')::numeric = (purchase ->> 'invoiced_cents')::numeric
    and 0 < (select count(*) from ${ofIt('billing.postings', 'booked')} and booked.r -> 'invoice_number' = q.args -> 'invoiceNumber')`,
  policy: `(rule ->> 'allowed')::boolean and not coalesce((q.args ->> 'amountCents')::numeric > (rule ->> 'max_amount_cents')::numeric, false)`,
  integrity: `(select coalesce(sum((paid.r ->> 'amount_cents')::numeric), 0) from ${itsPayments}) = (purchase ->> 'paid_cents')::numeric`,
  notApplied: `purchase is not null and 0 = (select count(*) from ${itsPayments} and paid.r -> 'invoice_number' = q.args -> 'invoiceNumber')`,
  sideEffectTable: 'billing.payments',
  sameEffect: `jsonb_build_array(r -> 'purchase_order_id', r -> 'invoice_number')`,
  wantedEffect: `jsonb_build_array(q.args -> 'purchaseOrderId', q.args -> 'invoiceNumber')`,
};
