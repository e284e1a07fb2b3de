/** The tool contracts of the domain orders. */
import type { ToolContract } from '../../tool-contract.ts';
import { cancelOrder } from './cancel-order.ts';
import { changeDeliveryAddress } from './change-delivery-address.ts';
import { refundShippingFee } from './refund-shipping-fee.ts';
import { releaseForPacking } from './release-for-packing.ts';

/** In the order of the templates. */
export const ordersTools: readonly ToolContract[] = [changeDeliveryAddress, cancelOrder, refundShippingFee, releaseForPacking];
