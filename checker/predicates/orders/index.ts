/** The predicates of the domain orders. */
import type { Predicate } from '../predicate.ts';
import { cancelOrderPredicate } from './cancel-order.ts';
import { changeDeliveryAddressPredicate } from './change-delivery-address.ts';
import { refundShippingFeePredicate } from './refund-shipping-fee.ts';
import { releaseForPackingPredicate } from './release-for-packing.ts';

/** One a tool. */
export const ordersPredicates: readonly Predicate[] = [changeDeliveryAddressPredicate, cancelOrderPredicate, refundShippingFeePredicate, releaseForPackingPredicate];
