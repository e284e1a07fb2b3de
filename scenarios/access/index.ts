/** The templates of the domain access. */
import type { Template } from '../scenario.ts';
import { grantRole } from './grant-role.ts';
import { issueBadge } from './issue-badge.ts';
import { suspendAccount } from './suspend-account.ts';
import { unlockAccount } from './unlock-account.ts';

/** Four; the first one stands for the domain in the pilot. */
export const accessTemplates: readonly Template[] = [grantRole, suspendAccount, unlockAccount, issueBadge];
