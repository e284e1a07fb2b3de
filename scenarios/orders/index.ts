/** The templates of the domain orders. */
import type { Template } from '../scenario.ts';
import { cancelOrder } from './cancel-order.ts';
import { changeDeliveryAddress } from './change-delivery-address.ts';
import { refundShippingFee } from './refund-shipping-fee.ts';
import { releaseForPacking } from './release-for-packing.ts';

/** Four; the first one stands for the domain in the pilot. */
export const ordersTemplates: readonly Template[] = [changeDeliveryAddress, cancelOrder, refundShippingFee, releaseForPacking];
