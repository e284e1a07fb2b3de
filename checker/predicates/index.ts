/** Every tool's predicate as the checker states it. */
import { changeDeliveryAddressPredicate } from './change-delivery-address.ts';
import { grantRolePredicate } from './grant-role.ts';
import type { Predicate } from './predicate.ts';
import { recordInvoicePredicate } from './record-invoice.ts';
import { rollBackReleasePredicate } from './roll-back-release.ts';

/** An attempt of a tool that is not here cannot be judged: its world is `unknown`. */
export const predicates: readonly Predicate[] = [changeDeliveryAddressPredicate, recordInvoicePredicate, grantRolePredicate, rollBackReleasePredicate];
