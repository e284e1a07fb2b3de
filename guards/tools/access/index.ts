/** The tool contracts of the domain access. */
import type { ToolContract } from '../../tool-contract.ts';
import { grantRole } from './grant-role.ts';

/** In the order of the templates. */
export const accessTools: readonly ToolContract[] = [grantRole];
