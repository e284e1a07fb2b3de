/** The tool contracts of the domain billing. */
import type { ToolContract } from '../../tool-contract.ts';
import { recordInvoice } from './record-invoice.ts';

/** In the order of the templates. */
export const billingTools: readonly ToolContract[] = [recordInvoice];
