/** When a vendor's credit note may be booked, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsCredits = `${rowsAt("'billing.credit_notes'")} credit where credit.r ->> 'purchase_order_id' = q.args ->> 'purchaseOrderId'`;

/** An invoiced purchase order without an open operation, of which enough is left to credit, within the limit where there is one; its credits add up, and this one is not among them. */
export const issueCreditNotePredicate: Predicate = {
  tool: 'issue_credit_note',
  subjects: { purchase: rowAt("'billing.purchase_orders'", `q.args ->> 'purchaseOrderId'`), rule: rowAt("'holdpoint.policies'", `'issue_credit_note'`) },
  status: `purchase ->> 'status' = 'INVOICED' and purchase ->> 'unresolved_operation' is null
    and (purchase ->> 'invoiced_cents')::numeric - (purchase ->> 'credited_cents')::numeric >= (q.args ->> 'amountCents')::numeric`,
  policy: `(rule ->> 'allowed')::boolean and not coalesce((q.args ->> 'amountCents')::numeric > (rule ->> 'max_amount_cents')::numeric, false)`,
  integrity: `(select coalesce(sum((credit.r ->> 'amount_cents')::numeric), 0) from ${itsCredits}) = (purchase ->> 'credited_cents')::numeric`,
  notApplied: `purchase is not null and 0 = (select count(*) from ${itsCredits} and credit.r -> 'credit_note_number' = q.args -> 'creditNoteNumber')`,
  sideEffectTable: 'billing.credit_notes',
  sameEffect: `jsonb_build_array(r -> 'purchase_order_id', r -> 'credit_note_number')`,
  wantedEffect: `jsonb_build_array(q.args -> 'purchaseOrderId', q.args -> 'creditNoteNumber')`,
};
