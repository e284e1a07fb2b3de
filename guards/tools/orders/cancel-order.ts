/** Contract: cancel an order that has not been packed, and give the whole of it back. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';
import { noLiveHold, refundExists, refundsAddUp, theOrder } from './clauses.ts';

const tool = 'cancel_order';

/**
 * Moves the order to CANCELLED and records one refund. The amount is the order's total as it stands at the commit, never a figure of the proposer's, so an
 * order of which something else was refunded is refused: its total is no longer what is owed. A pick list needs no recall, since packers scan the order first.
 */
export const cancelOrder: ToolContract = {
  tool,
  domain: 'orders',
  description: 'Cancel an order that has not been packed, and refund its total to the customer.',
  arguments: {
    orderId: { type: 'text', description: 'the id of the order', maxLength: 40 },
    reason: { type: 'text', description: 'why the customer cancels, for the refund', maxLength: 120 },
  },
  locks: [policyOf(tool), theOrder],
  entity: theOrder.name,
  allowedStates: ['PAID', 'QUEUED'],
  clauses: {
    status: `the_order.status in ('PAID', 'QUEUED') and the_order.unresolved_operation is null
      and ${noLiveHold}
      and not ${refundExists(`r.kind <> 'ORDER_TOTAL'`)}`,
    policy: 'policy.allowed and the_order.total_cents <= coalesce(policy.max_amount_cents, the_order.total_cents)',
    integrity: refundsAddUp,
    notApplied: `not ${refundExists(`r.kind = 'ORDER_TOTAL'`)}`,
  },
  effect: [
    `update orders.orders set status = 'CANCELLED', refunded_cents = refunded_cents + total_cents where world_id = p_world and order_id = a_order_id`,
    `insert into orders.refunds (world_id, order_id, kind, amount_cents, reason) values (p_world, a_order_id, 'ORDER_TOTAL', the_order.total_cents, a_reason)`,
  ],
  sideEffectTable: 'orders.refunds',
  irreversible: 'The customer has been refunded, and money comes back by a payment only.',
};
