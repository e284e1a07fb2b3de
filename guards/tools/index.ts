/** All tool contracts, by tool name. */
import type { ToolContract } from '../tool-contract.ts';
import { changeDeliveryAddress } from './change-delivery-address.ts';
import { grantRole } from './grant-role.ts';
import { recordInvoice } from './record-invoice.ts';
import { rollBackRelease } from './roll-back-release.ts';

/** Every tool that an agent can be offered. */
export const tools: readonly ToolContract[] = [changeDeliveryAddress, recordInvoice, grantRole, rollBackRelease];

/** The contract of a tool, or undefined where there is none. */
export function toolContract(tool: string): ToolContract | undefined {
  return tools.find((contract) => contract.tool === tool);
}
