/** What several contracts of orders say in the same words: the order's lock, its holds and its refunds. */
import type { LockedRow } from '../../tool-contract.ts';

/** The order that `orderId` names, locked for its update. */
export const theOrder: LockedRow = { name: 'the_order', table: 'orders.orders', keyColumn: 'order_id', key: { argument: 'orderId' }, strength: 'no key update' };

/** Nobody holds the order: no fraud check, no recall, no question of the bank. */
export const noLiveHold = 'not exists (select from orders.holds h where h.world_id = p_world and h.order_id = a_order_id and not h.released)';

/** The order's refunded total is the sum of its refunds. */
export const refundsAddUp = `the_order.refunded_cents = coalesce((select sum(r.amount_cents) from orders.refunds r
      where r.world_id = p_world and r.order_id = a_order_id), 0)`;

/** Some refund of the order fulfils the condition, in which it is `r`. */
export function refundExists(condition: string): string {
  return `exists (select from orders.refunds r where r.world_id = p_world and r.order_id = a_order_id and ${condition})`;
}
