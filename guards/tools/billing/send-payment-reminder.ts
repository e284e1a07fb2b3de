/** Contract: remind a vendor of a refund that is still open. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'send_payment_reminder';

/**
 * Sends one reminder and puts the purchase order on its level. The status stays PAID until the refund is here. Levels go up one by one: no reminder is
 * friendlier than the last one, and none is left out. The level sent last is allowed by the status: that it was sent already is for `notApplied` to say.
 */
export const sendPaymentReminder: ToolContract = {
  tool,
  domain: 'billing',
  description: 'Remind a vendor, at level 1, 2 or 3, to pay back what was paid too much on a purchase order.',
  arguments: {
    purchaseOrderId: { type: 'text', description: 'the id of the purchase order', maxLength: 40 },
    level: { type: 'integer', description: 'the level of the reminder, 1 to 3', minimum: 1 },
    amountCents: { type: 'integer', description: 'the refund that is open, in cents', minimum: 1 },
  },
  locks: [
    { name: 'the_purchase_order', table: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: { argument: 'purchaseOrderId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_purchase_order',
  allowedStates: ['PAID'],
  clauses: {
    status: `the_purchase_order.status = 'PAID' and the_purchase_order.unresolved_operation is null
      and a_amount_cents = the_purchase_order.paid_cents + the_purchase_order.credited_cents - the_purchase_order.invoiced_cents
      and a_level between the_purchase_order.reminder_level and least(the_purchase_order.reminder_level + 1, 3)`,
    policy: 'policy.allowed',
    integrity: `the_purchase_order.reminder_level = coalesce((select max(x.level) from billing.reminders x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id), 0)`,
    notApplied: `not exists (select from billing.reminders x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id and x.level = a_level)`,
  },
  effect: [
    'update billing.purchase_orders set reminder_level = a_level where world_id = p_world and purchase_order_id = a_purchase_order_id',
    `insert into billing.reminders (world_id, purchase_order_id, level, amount_cents)
      values (p_world, a_purchase_order_id, a_level, a_amount_cents)`,
  ],
  sideEffectTable: 'billing.reminders',
  irreversible: 'The reminder has been sent.',
};
