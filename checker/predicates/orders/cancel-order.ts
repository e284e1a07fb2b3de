/** When an order may be cancelled and paid back whole, said over the row history. */
import { rowAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';
import { booksBalance, openHolds, paidBack } from './rows.ts';

/** Nothing packed, held, open or paid back in part; a total within the limit where there is one; books that balance; and the total not paid back yet. */
export const cancelOrderPredicate: Predicate = {
  tool: 'cancel_order',
  subjects: { purchase: rowAt("'orders.orders'", `q.args ->> 'orderId'`), rule: rowAt("'holdpoint.policies'", `'cancel_order'`) },
  status: `purchase ->> 'status' = any ('{PAID,QUEUED}') and purchase ->> 'unresolved_operation' is null and ${openHolds} = 0
    and (select coalesce(bool_and(paid.r ->> 'kind' = 'ORDER_TOTAL'), true) from ${paidBack})`,
  policy: `(rule ->> 'allowed')::boolean and not coalesce((purchase ->> 'total_cents')::numeric > (rule ->> 'max_amount_cents')::numeric, false)`,
  integrity: booksBalance,
  notApplied: `purchase is not null and 0 = (select count(*) from ${paidBack} and paid.r ->> 'kind' = 'ORDER_TOTAL')`,
  sideEffectTable: 'orders.refunds',
  // The table is shared with the other refunds, which are nothing of the kind.
  sameEffect: `case r ->> 'kind' when 'ORDER_TOTAL' then jsonb_build_array(r -> 'order_id', r -> 'kind') end`,
  wantedEffect: `jsonb_build_array(q.args -> 'orderId', 'ORDER_TOTAL'::text)`,
};
