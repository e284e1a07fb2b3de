/** Every tool's predicate as the checker states it. */
import { accessPredicates } from './access/index.ts';
import { billingPredicates } from './billing/index.ts';
import { deploymentsPredicates } from './deployments/index.ts';
import { ordersPredicates } from './orders/index.ts';
import type { Predicate } from './predicate.ts';

/** An attempt of a tool that is not here cannot be judged: its world is `unknown`. */
export const predicates: readonly Predicate[] = [...ordersPredicates, ...billingPredicates, ...accessPredicates, ...deploymentsPredicates];
