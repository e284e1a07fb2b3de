/** When a vendor may be reminded of a refund, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsReminders = `${rowsAt("'billing.reminders'")} sent where sent.r ->> 'purchase_order_id' = q.args ->> 'purchaseOrderId'`;
const step = `(q.args ->> 'level')::numeric - (purchase ->> 'reminder_level')::numeric`;

/**
 * A paid purchase order without an open operation, the vendor owing just this refund (paid less what was due after credits); a level of the three that is
 * the last one's or the next; the order's level that of its sternest reminder; and this level not sent yet.
 */
export const sendPaymentReminderPredicate: Predicate = {
  tool: 'send_payment_reminder',
  subjects: { purchase: rowAt("'billing.purchase_orders'", `q.args ->> 'purchaseOrderId'`), rule: rowAt("'holdpoint.policies'", `'send_payment_reminder'`) },
  status: `purchase ->> 'status' = 'PAID' and purchase ->> 'unresolved_operation' is null
    and (purchase ->> 'paid_cents')::numeric - ((purchase ->> 'invoiced_cents')::numeric - (purchase ->> 'credited_cents')::numeric) = (q.args ->> 'amountCents')::numeric
    and ${step} in (0, 1) and q.args ->> 'level' = any ('{1,2,3}')`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select coalesce((array_agg((sent.r ->> 'level')::numeric order by (sent.r ->> 'level')::numeric desc))[1], 0) from ${itsReminders})
    = (purchase ->> 'reminder_level')::numeric`,
  notApplied: `purchase is not null and 0 = (select count(*) from ${itsReminders} and sent.r -> 'level' = q.args -> 'level')`,
  sideEffectTable: 'billing.reminders',
  sameEffect: `jsonb_build_array(r -> 'purchase_order_id', r -> 'level')`,
  wantedEffect: `jsonb_build_array(q.args -> 'purchaseOrderId', q.args -> 'level')`,
};
