/** Rows of an order as the row history has them, for the predicates of orders. */
import { rowsAt } from '../../as-of.ts';

/** Holds on the attempt's order that nobody has lifted, counted. */
export const openHolds = `(select count(*) from ${rowsAt("'orders.holds'")} held where held.r ->> 'order_id' = q.args ->> 'orderId' and held.r ->> 'released' = 'false')`;

/** What was paid back on the attempt's order: a FROM with its WHERE, each row `paid.r`; further conditions follow with AND. */
export const paidBack = `${rowsAt("'orders.refunds'")} paid where paid.r ->> 'order_id' = q.args ->> 'orderId'`;

/** The order, named `purchase`, says exactly what was paid back. */
export const booksBalance = `(purchase ->> 'refunded_cents')::numeric - (select coalesce(sum((paid.r ->> 'amount_cents')::numeric), 0) from ${paidBack}) = 0`;
