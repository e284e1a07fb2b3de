/** Contract: book a vendor's credit note against an invoiced purchase order. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'issue_credit_note';

/** Books the credit note once and adds it to what is credited. The purchase order stays INVOICED: less is owed, and it is still owed. */
export const issueCreditNote: ToolContract = {
  tool,
  domain: 'billing',
  description: "Book a vendor's credit note against a purchase order that is invoiced and not yet paid.",
  arguments: {
    purchaseOrderId: { type: 'text', description: 'the id of the purchase order', maxLength: 40 },
    creditNoteNumber: { type: 'text', description: "the vendor's credit note number", maxLength: 40 },
    amountCents: { type: 'integer', description: 'the credited amount in cents', minimum: 1 },
  },
  locks: [
    { name: 'the_purchase_order', table: 'billing.purchase_orders', keyColumn: 'purchase_order_id', key: { argument: 'purchaseOrderId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_purchase_order',
  allowedStates: ['INVOICED'],
  clauses: {
    status: `the_purchase_order.status = 'INVOICED' and the_purchase_order.unresolved_operation is null
      and the_purchase_order.credited_cents + a_amount_cents <= the_purchase_order.invoiced_cents`,
    policy: 'policy.allowed and a_amount_cents <= coalesce(policy.max_amount_cents, a_amount_cents)',
    integrity: `the_purchase_order.credited_cents = coalesce((select sum(x.amount_cents) from billing.credit_notes x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id), 0)`,
    notApplied: `not exists (select from billing.credit_notes x
      where x.world_id = p_world and x.purchase_order_id = a_purchase_order_id and x.credit_note_number = a_credit_note_number)`,
  },
  effect: [
    `update billing.purchase_orders set credited_cents = credited_cents + a_amount_cents
      where world_id = p_world and purchase_order_id = a_purchase_order_id`,
    `insert into billing.credit_notes (world_id, purchase_order_id, credit_note_number, amount_cents)
      values (p_world, a_purchase_order_id, a_credit_note_number, a_amount_cents)`,
  ],
  sideEffectTable: 'billing.credit_notes',
};
