/** Contract: pay a vendor's booked invoice, and with it all that is owed on its purchase order. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'pay_invoice';

/** Makes one payment and moves the purchase order from INVOICED to PAID. It must be the whole rest: a credit note that came in meanwhile makes the amount wrong. */
export const payInvoice: ToolContract = {
  tool,
  domain: 'billing',
  description: "Pay a vendor's booked invoice in full.",
  arguments: {
    purchaseOrderId: { type: 'text', description: 'the id of the purchase order', maxLength: 40 },
    vendorId: { type: 'text', description: 'the id of the vendor who is paid', maxLength: 40 },
    invoiceNumber: { type: 'text', description: "the vendor's invoice number", maxLength: 40 },
    amountCents: { type: 'integer', description: 'the amount to pay in cents', minimum: 1 },
  },
  locks: [
    { name: 'the_purchase_order', table: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: { argument: 'purchaseOrderId' }, strength: 'no key update' },
    { name: 'the_vendor', table: 'billing.vendors', keyColumn: 'vendor_id', key: { argument: 'vendorId' }, strength: 'share' },
    policyOf(tool),
  ],
  entity: 'the_purchase_order',
  allowedStates: ['INVOICED'],
  clauses: {
    status: `the_purchase_order.status = 'INVOICED' and the_purchase_order.unresolved_operation is null
      and the_purchase_order.vendor_id = a_vendor_id and not the_vendor.payment_blocked
      and a_amount_cents = the_purchase_order.invoiced_cents - the_purchase_order.credited_cents - the_purchase_order.paid_cents
      and exists (select from billing.postings x
        where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id and x.invoice_number = a_invoice_number)`,
    policy: 'policy.allowed and a_amount_cents <= coalesce(policy.max_amount_cents, a_amount_cents)',
    integrity: `the_purchase_order.paid_cents = coalesce((select sum(x.amount_cents) from billing.payments x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id), 0)`,
    notApplied: `not exists (select from billing.payments x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id and x.invoice_number = a_invoice_number)`,
  },
  effect: [
    `update billing.purchase_orders set paid_cents = paid_cents + a_amount_cents, status = 'PAID'
      where world_id = p_world and purchase_order_id = a_purchase_order_id`,
    `insert into billing.payments (world_id, purchase_order_id, invoice_number, amount_cents)
      values (p_world, a_purchase_order_id, a_invoice_number, a_amount_cents)`,
  ],
  sideEffectTable: 'billing.payments',
  irreversible: 'The vendor has been paid, and money comes back by a payment only.',
};
