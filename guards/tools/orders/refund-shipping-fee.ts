/** Contract: give a customer the shipping fee back as goodwill, once, after the parcel has left. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';
import { noLiveHold, refundExists, refundsAddUp, theOrder } from './clauses.ts';

const tool = 'refund_shipping_fee';

/** Records one refund of at most the fee that was paid. The status stays as it is, so only the refund tells that it was done; another amount or reason makes it no other refund. */
export const refundShippingFee: ToolContract = {
  tool,
  domain: 'orders',
  description: 'Refund the shipping fee of an order that was sent, or a part of the fee, as goodwill.',
  arguments: {
    orderId: { type: 'text', description: 'the id of the order', maxLength: 40 },
    amountCents: { type: 'integer', description: 'the refunded amount in cents', minimum: 1 },
    reason: { type: 'text', description: 'what went wrong, for the refund', maxLength: 120 },
  },
  locks: [policyOf(tool), theOrder],
  entity: theOrder.name,
  allowedStates: ['SHIPPED', 'DELIVERED'],
  clauses: {
    status: `the_order.status in ('SHIPPED', 'DELIVERED') and the_order.unresolved_operation is null
      and ${noLiveHold}`,
    policy: 'policy.allowed and a_amount_cents <= least(the_order.shipping_cents, policy.max_amount_cents)',
    integrity: refundsAddUp,
    notApplied: `not ${refundExists(`r.kind = 'SHIPPING_FEE'`)}`,
  },
  effect: [
    'update orders.orders set refunded_cents = refunded_cents + a_amount_cents where world_id = p_world and order_id = a_order_id',
    `insert into orders.refunds (world_id, order_id, kind, amount_cents, reason) values (p_world, a_order_id, 'SHIPPING_FEE', a_amount_cents, a_reason)`,
  ],
  sideEffectTable: 'orders.refunds',
  irreversible: 'The customer has been refunded, and money comes back by a payment only.',
};
