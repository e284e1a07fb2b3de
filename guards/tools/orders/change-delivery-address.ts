/** Contract: send an order to another address while it has not left the shelf. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'change_delivery_address';

/** Changes `orders.orders.delivery_address` and prints one label. The status stays as it is, so only the label tells that it was done. */
export const changeDeliveryAddress: ToolContract = {
  tool,
  domain: 'orders',
  description: 'Change the delivery address of an order that has not been packed, and print its new shipping label.',
  arguments: {
    orderId: { type: 'text', description: 'the id of the order', maxLength: 40 },
    newAddress: { type: 'text', description: 'the complete new delivery address', maxLength: 200 },
  },
  locks: [
    policyOf(tool),
    { name: 'the_order', table: 'orders.orders', keyColumn: 'order_id', key: { argument: 'orderId' }, strength: 'no key update' },
  ],
  entity: 'the_order',
  allowedStates: ['PAID', 'QUEUED'],
  clauses: {
    status: `the_order.status in ('PAID', 'QUEUED') and the_order.unresolved_operation is null
      and not exists (select from orders.holds h where h.world_id = p_world and h.order_id = a_order_id and not h.released)`,
    policy: 'policy.allowed',
    integrity: `the_order.delivery_address = coalesce((select l.address from orders.labels l
      where l.world_id = p_world and l.order_id = a_order_id order by l.label_id desc limit 1), the_order.delivery_address)`,
    notApplied: 'not exists (select from orders.labels l where l.world_id = p_world and l.order_id = a_order_id and l.address = a_new_address)',
  },
  effect: [
    'update orders.orders set delivery_address = a_new_address where world_id = p_world and order_id = a_order_id',
    'insert into orders.labels (world_id, order_id, address) values (p_world, a_order_id, a_new_address)',
  ],
  sideEffectTable: 'orders.labels',
};
