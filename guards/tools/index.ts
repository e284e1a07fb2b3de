/** All tool contracts, by tool name. */
import type { ToolContract } from '../tool-contract.ts';
import { accessTools } from './access/index.ts';
import { billingTools } from './billing/index.ts';
import { deploymentsTools } from './deployments/index.ts';
import { ordersTools } from './orders/index.ts';

/** Every tool that an agent can be offered, in the order of the domains. */
export const tools: readonly ToolContract[] = [...ordersTools, ...billingTools, ...accessTools, ...deploymentsTools];

const byName = new Map(tools.map((contract) => [contract.tool, contract]));

/** The contract of a tool, or undefined where there is none. */
export function toolContract(tool: string): ToolContract | undefined {
  return byName.get(tool);
}
