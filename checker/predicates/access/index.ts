/** The predicates of the domain access. */
import type { Predicate } from '../predicate.ts';
import { grantRolePredicate } from './grant-role.ts';
import { issueBadgePredicate } from './issue-badge.ts';
import { suspendAccountPredicate } from './suspend-account.ts';
import { unlockAccountPredicate } from './unlock-account.ts';

/** One a tool. */
export const accessPredicates: readonly Predicate[] = [grantRolePredicate, suspendAccountPredicate, unlockAccountPredicate, issueBadgePredicate];
