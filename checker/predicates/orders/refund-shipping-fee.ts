/** When a shipping fee may be given back, said over the row history. */
import { rowAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';
import { booksBalance, openHolds, paidBack } from './rows.ts';

/** A parcel that left, under no hold and no open operation; no more than the fee and the limit; books that balance; and nothing of the fee given back yet. */
export const refundShippingFeePredicate: Predicate = {
  tool: 'refund_shipping_fee',
  subjects: { purchase: rowAt("'orders.orders'", `q.args ->> 'orderId'`), rule: rowAt("'holdpoint.policies'", `'refund_shipping_fee'`) },
  status: `purchase ->> 'status' = any ('{SHIPPED,DELIVERED}') and purchase ->> 'unresolved_operation' is null and ${openHolds} = 0`,
  policy: `(rule ->> 'allowed')::boolean and (q.args ->> 'amountCents')::numeric <= (purchase ->> 'shipping_cents')::numeric
    and not coalesce((q.args ->> 'amountCents')::numeric > (rule ->> 'max_amount_cents')::numeric, false)`,
  integrity: booksBalance,
  notApplied: `purchase is not null and not coalesce((select bool_or(paid.r ->> 'kind' = 'SHIPPING_FEE') from ${paidBack}), false)`,
  sideEffectTable: 'orders.refunds',
  // An order has one fee: a second refund of it is the same thing again, whatever its amount and reason.
  sameEffect: `case r ->> 'kind' when 'SHIPPING_FEE' then jsonb_build_array(r -> 'order_id', r -> 'kind') end`,
  wantedEffect: `jsonb_build_array(q.args -> 'orderId', 'SHIPPING_FEE'::text)`,
};
