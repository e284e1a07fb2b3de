/** When a vendor's invoice may be recorded, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsPostings = `${rowsAt("'billing.postings'")} posted where posted.r ->> 'purchase_order_id' = q.args ->> 'purchaseOrderId'`;

/** Goods received, no open operation, the amount within the limit where there is one, the total equal to its postings, and the invoice not posted yet. */
export const recordInvoicePredicate: Predicate = {
  tool: 'record_invoice',
  subjects: { purchase: rowAt("'billing.purchase_orders'", `q.args ->> 'purchaseOrderId'`), rule: rowAt("'holdpoint.policies'", `'record_invoice'`) },
  status: `purchase ->> 'status' = 'RECEIVED' and purchase ->> 'unresolved_operation' is null`,
  policy: `(rule ->> 'allowed')::boolean and not coalesce((q.args ->> 'amountCents')::numeric > (rule ->> 'max_amount_cents')::numeric, false)`,
  integrity: `(purchase ->> 'invoiced_cents')::numeric - (select coalesce(sum((posted.r ->> 'amount_cents')::numeric), 0) from ${itsPostings}) = 0`,
  notApplied: `purchase is not null and 0 = (select count(*) from ${itsPostings} and posted.r -> 'invoice_number' = q.args -> 'invoiceNumber')`,
  sideEffectTable: 'billing.postings',
  sameEffect: `jsonb_build_array(r -> 'purchase_order_id', r -> 'invoice_number')`,
  wantedEffect: `jsonb_build_array(q.args -> 'purchaseOrderId', q.args -> 'invoiceNumber')`,
};
