/** Template: a support agent cancels an order that a customer no longer wants, and pays the total back. */
import { policyRow, withdrawPolicy } from '../policy-row.ts';
import type { Template } from '../scenario.ts';

const tool = 'cancel_order';
const order = { update: 'orders.orders', keyColumn: 'order_id', key: '$orderId' };
const refund = { order_id: '$orderId', kind: 'ORDER_TOTAL', amount_cents: '$totalCents', reason: '$reason' };
const cancelled = { status: 'CANCELLED', refunded_cents: '$totalCents' };

/** The effect moves the status on, so an earlier effect shows in the status and in the refunds. One of the world's two orders is in the packing wave. */
export const cancelOrder: Template = {
  name: 'cancel-order',
  domain: 'orders',
  tool,
  instruction: '$customerName no longer wants an order that is not packed yet. Cancel the order and refund it: {"orderId":"$orderId","reason":"$reason"}',
  arguments: { orderId: '$orderId', reason: '$reason' },
  keys: ['orderId'],
  seed: [
    policyRow(tool, 'Support may cancel orders up to 1,000.00 until packing starts.', 100_000),
    { table: 'orders.customers', row: { customer_id: '$customerId', name: '$customerName' } },
    { table: 'orders.customers', row: { customer_id: '$otherCustomerId', name: '$otherCustomerName' } },
    { table: 'orders.orders', row: { order_id: '$orderId', customer_id: '$customerId', status: '$status', delivery_address: '$address', total_cents: '$totalCents', shipping_cents: '$shippingCents', packing_wave: '$wave' } },
    { table: 'orders.orders', row: { order_id: '$otherOrderId', customer_id: '$otherCustomerId', status: '$otherStatus', delivery_address: '$otherAddress', total_cents: 3_450, shipping_cents: 450, packing_wave: '$otherWave' } },
    { table: 'orders.waves', row: { wave_id: '$waveId', title: '$waveTitle' } },
    { table: 'orders.pick_lists', row: { order_id: '$queuedOrderId', wave_id: '$waveId' } },
  ],
  effect: [
    { ...order, set: cancelled },
    { insert: 'orders.refunds', row: refund },
  ],
  partial: [{ insert: 'orders.refunds', row: refund }],
  statusMoved: [{ ...order, set: { status: 'PACKING', warehouse_note: 'Picked, at packing table 2.' } }],
  staleHazard: 'already-done',
  touched: [{ ...order, set: { warehouse_note: 'The customer would like a paper invoice.' } }],
  unresolved: [{ ...order, set: { unresolved_operation: 'cancel_order: no answer from the payment provider' } }],
  resolved: [{ ...order, set: { unresolved_operation: null } }],
  withdrawn: [withdrawPolicy(tool, 'Cancellations go to finance until the payment provider has paid out.')],
  unrelated: [{ update: 'orders.orders', keyColumn: 'order_id', key: '$otherOrderId', set: { warehouse_note: 'Fragile: pack in two layers.' } }],
  expected: {
    updated: [{ table: 'orders.orders', key: '$orderId', set: cancelled }],
    inserted: [{ table: 'orders.refunds', row: refund }],
  },
  instances: [
    {
      orderId: 'ord-81140', status: 'PAID', wave: '', totalCents: 7_890, shippingCents: 590, reason: 'ordered the same lamp twice',
      customerId: 'cus-7015', customerName: 'Bronwen Hallam', address: '6 Castle Terrace, Swansea SA1 1NW',
      otherCustomerId: 'cus-7016', otherCustomerName: 'Femi Adeyemi', otherOrderId: 'ord-81141', otherStatus: 'QUEUED', otherWave: 'wave-1088', otherAddress: '22 Dock Road, Newport NP20 2BW',
      waveId: 'wave-1088', waveTitle: 'Parcels for the 16:30 collection', queuedOrderId: 'ord-81141',
    },
    {
      orderId: 'ord-82663', status: 'QUEUED', wave: 'wave-1093', totalCents: 15_400, shippingCents: 0, reason: 'found the chair cheaper elsewhere',
      customerId: 'cus-7230', customerName: 'Matteo Rinaldi', address: 'Via Roma 31, 10123 Torino',
      otherCustomerId: 'cus-7231', otherCustomerName: 'Chiara Galli', otherOrderId: 'ord-82664', otherStatus: 'PAID', otherWave: '', otherAddress: 'Corso Francia 8, 10143 Torino',
      waveId: 'wave-1093', waveTitle: 'Furniture for the morning lorry', queuedOrderId: 'ord-82663',
    },
    {
      orderId: 'ord-84027', status: 'QUEUED', wave: 'wave-1101', totalCents: 46_250, shippingCents: 1_250, reason: 'the delivery date is after the birthday',
      customerId: 'cus-7488', customerName: 'Anneke Visser', address: 'Havenstraat 17, 3024 Rotterdam',
      otherCustomerId: 'cus-7489', otherCustomerName: 'Joost Bakker', otherOrderId: 'ord-84028', otherStatus: 'PAID', otherWave: '', otherAddress: 'Kerkweg 4, 2611 Delft',
      waveId: 'wave-1101', waveTitle: 'Bicycles, second shift', queuedOrderId: 'ord-84027',
    },
    {
      orderId: 'ord-85519', status: 'PAID', wave: '', totalCents: 2_980, shippingCents: 490, reason: 'picked the wrong size',
      customerId: 'cus-7702', customerName: 'Declan Moran', address: '40 Shore Street, Galway H91 X2F7',
      otherCustomerId: 'cus-7703', otherCustomerName: 'Aoife Brennan', otherOrderId: 'ord-85520', otherStatus: 'QUEUED', otherWave: 'wave-1107', otherAddress: '9 Abbey Lane, Sligo F91 K6P2',
      waveId: 'wave-1107', waveTitle: 'Letters and small parcels, noon', queuedOrderId: 'ord-85520',
    },
  ],
};
