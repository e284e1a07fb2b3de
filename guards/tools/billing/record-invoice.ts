/** Contract: record a vendor's invoice against a received purchase order. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'record_invoice';

/** Posts the invoice once and moves the purchase order from RECEIVED to INVOICED. */
export const recordInvoice: ToolContract = {
  tool,
  domain: 'billing',
  description: "Record a vendor's invoice against a purchase order whose goods were received.",
  arguments: {
    purchaseOrderId: { type: 'text', description: 'the id of the purchase order', maxLength: 40 },
    invoiceNumber: { type: 'text', description: "the vendor's invoice number", maxLength: 40 },
    amountCents: { type: 'integer', description: 'the invoiced amount in cents', minimum: 1 },
  },
  locks: [
    { name: 'the_purchase_order', table: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: { argument: 'purchaseOrderId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_purchase_order',
  allowedStates: ['RECEIVED'],
  clauses: {
    status: `the_purchase_order.status = 'RECEIVED' and the_purchase_order.unresolved_operation is null`,
    policy: 'policy.allowed and a_amount_cents <= coalesce(policy.max_amount_cents, a_amount_cents)',
    integrity: `the_purchase_order.invoiced_cents = coalesce((select sum(x.amount_cents) from billing.postings x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id), 0)`,
    notApplied: `not exists (select from billing.postings x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id and x.invoice_number = a_invoice_number)`,
  },
  effect: [
    `update billing.purchase_orders set invoiced_cents = invoiced_cents + a_amount_cents, status = 'INVOICED'
      where world_id = p_world and purchase_order_id = a_purchase_order_id`,
    `insert into billing.postings (world_id, purchase_order_id, invoice_number, amount_cents)
      values (p_world, a_purchase_order_id, a_invoice_number, a_amount_cents)`,
  ],
  sideEffectTable: 'billing.postings',
};
