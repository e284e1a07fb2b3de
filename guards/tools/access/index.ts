/** The tool contracts of the domain access. */
import type { ToolContract } from '../../tool-contract.ts';
import { grantRole } from './grant-role.ts';
import { issueBadge } from './issue-badge.ts';
import { suspendAccount } from './suspend-account.ts';
import { unlockAccount } from './unlock-account.ts';

/** In the order of the templates. */
export const accessTools: readonly ToolContract[] = [grantRole, suspendAccount, unlockAccount, issueBadge];
