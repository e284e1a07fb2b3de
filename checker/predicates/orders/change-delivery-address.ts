/** When an order's delivery address may change, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

/** An order still on the shelf, under no live hold and no open operation; its address is the one on its newest label; no label has the new one yet. */
export const changeDeliveryAddressPredicate: Predicate = {
  tool: 'change_delivery_address',
  subjects: { goods: rowAt("'orders.orders'", `q.args ->> 'orderId'`), rule: rowAt("'holdpoint.policies'", `'change_delivery_address'`) },
  status: `goods ->> 'status' = any ('{PAID,QUEUED}') and goods ->> 'unresolved_operation' is null
    and 0 = (select count(*) from ${rowsAt("'orders.holds'")} held where held.r ->> 'order_id' = q.args ->> 'orderId' and held.r ->> 'released' = 'false')`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select coalesce((array_agg(printed.r ->> 'address' order by (printed.r ->> 'label_id')::bigint desc))[1], goods ->> 'delivery_address')
    from ${rowsAt("'orders.labels'")} printed where printed.r ->> 'order_id' = q.args ->> 'orderId') = goods ->> 'delivery_address'`,
  notApplied: `goods is not null and 0 = (select count(*) from ${rowsAt("'orders.labels'")} printed
    where printed.r @> jsonb_build_object('order_id', q.args -> 'orderId', 'address', q.args -> 'newAddress'))`,
  sideEffectTable: 'orders.labels',
  sameEffect: `jsonb_build_array(r -> 'order_id', r -> 'address')`,
  wantedEffect: `jsonb_build_array(q.args -> 'orderId', q.args -> 'newAddress')`,
};
