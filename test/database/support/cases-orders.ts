/** Worlds and spoilers of the further tools of the domain orders. */
import { policyRow, withdrawal, type Spoiler, type ToolCase } from './tool-cases.ts';

const customer = { table: 'orders.customers', row: { customer_id: 'c1', name: 'Ada' } };
const order = { order_id: 'o1', customer_id: 'c1', delivery_address: '1 Old Street', total_cents: 1999, shipping_cents: 499 };
const held: Spoiler = { clause: 'status', how: 'a hold is inserted', statements: [`insert into orders.holds (world_id, order_id, cause) values ($1, 'o1', 'fraud check')`] };
const unresolved: Spoiler = { clause: 'status', how: 'an operation on the order is unresolved', statements: [updateOrder(`unresolved_operation = 'no answer'`)] };
const uncounted: Spoiler = { clause: 'integrity', how: 'the order says more was refunded than was', statements: [updateOrder('refunded_cents = refunded_cents + 300')] };

function updateOrder(set: string): string {
  return `update orders.orders set ${set} where world_id = $1 and order_id = 'o1'`;
}

/** A refund of somebody else's, with its sum. */
function refundOf(kind: string, cents: number): string[] {
  return [
    updateOrder(`refunded_cents = refunded_cents + ${String(cents)}`),
    `insert into orders.refunds (world_id, order_id, kind, amount_cents, reason) values ($1, 'o1', '${kind}', ${String(cents)}, 'by somebody else')`,
  ];
}

/** By tool. */
export const ordersCases: Readonly<Record<string, ToolCase>> = {
  cancel_order: {
    args: { orderId: 'o1', reason: 'bought twice' },
    otherArgs: { orderId: 'o1', reason: 'too late' },
    rows: [policyRow('cancel_order', { max_amount_cents: 5000 }), customer, { table: 'orders.orders', row: { ...order, status: 'QUEUED' } }],
    spoilers: [
      { clause: 'status', how: 'the order goes to packing', statements: [updateOrder(`status = 'PACKING'`)] },
      { clause: 'status', how: 'its shipping fee is refunded, so the total is no longer owed', statements: refundOf('SHIPPING_FEE', 499) },
      held, unresolved,
      withdrawal('cancel_order'),
      { clause: 'policy', how: 'the limit is lowered', statements: [`update holdpoint.policies set max_amount_cents = 1998 where world_id = $1 and tool = 'cancel_order'`] },
      uncounted,
      { clause: 'notApplied', how: 'somebody else refunds the total', statements: refundOf('ORDER_TOTAL', 1999) },
    ],
  },
  refund_shipping_fee: {
    args: { orderId: 'o1', amountCents: 499, reason: 'a week late' },
    otherArgs: { orderId: 'o1', amountCents: 250, reason: 'a day late' },
    rows: [policyRow('refund_shipping_fee', { max_amount_cents: 1000 }), customer, { table: 'orders.orders', row: { ...order, status: 'DELIVERED' } }],
    spoilers: [
      { clause: 'status', how: "the customer's bank takes the money back", statements: [updateOrder(`status = 'CHARGEBACK'`)] },
      held, unresolved,
      withdrawal('refund_shipping_fee'),
      { clause: 'policy', how: 'the limit is lowered', statements: [`update holdpoint.policies set max_amount_cents = 498 where world_id = $1 and tool = 'refund_shipping_fee'`] },
      { clause: 'policy', how: 'the fee that was paid is corrected', statements: [updateOrder('shipping_cents = 498')] },
      uncounted,
      { clause: 'integrity', how: "an item's refund is inserted without its sum", statements: refundOf('ITEM', 200).slice(1) },
      { clause: 'notApplied', how: 'somebody else refunds a part of the fee', statements: refundOf('SHIPPING_FEE', 100) },
    ],
  },
  release_for_packing: {
    args: { orderId: 'o1', waveId: 'w1' },
    otherArgs: { orderId: 'o1', waveId: 'w2' },
    rows: [
      policyRow('release_for_packing'), customer,
      { table: 'orders.orders', row: { ...order, status: 'PAID', packing_wave: 'w0' } },
      ...['w0', 'w1', 'w2'].map((wave) => ({ table: 'orders.waves', row: { wave_id: wave, title: 'Noon' } })),
      // Taken out of an earlier wave again: its newest pick list counts, and an old one of another wave is no repetition.
      { table: 'orders.pick_lists', row: { order_id: 'o1', wave_id: 'w0' } },
    ],
    spoilers: [
      { clause: 'status', how: 'the customer cancels', statements: [updateOrder(`status = 'CANCELLED'`)] },
      { clause: 'status', how: 'the wave closes', statements: [`update orders.waves set status = 'CLOSED' where world_id = $1 and wave_id = 'w1'`] },
      held, unresolved,
      withdrawal('release_for_packing'),
      { clause: 'integrity', how: 'a pick list of another wave is inserted that the order does not show', statements: [`insert into orders.pick_lists (world_id, order_id, wave_id) values ($1, 'o1', 'w2')`] },
      {
        clause: 'notApplied', how: 'somebody else prints its pick list of this wave',
        statements: [updateOrder(`packing_wave = 'w1'`), `insert into orders.pick_lists (world_id, order_id, wave_id) values ($1, 'o1', 'w1')`],
      },
    ],
  },
};
