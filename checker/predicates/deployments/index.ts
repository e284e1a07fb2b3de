/** The predicates of the domain deployments. */
import type { Predicate } from '../predicate.ts';
import { promoteReleasePredicate } from './promote-release.ts';
import { rollBackReleasePredicate } from './roll-back-release.ts';
import { rotateCertificatePredicate } from './rotate-certificate.ts';
import { scaleServicePredicate } from './scale-service.ts';

/** One a tool. */
export const deploymentsPredicates: readonly Predicate[] = [rollBackReleasePredicate, promoteReleasePredicate, scaleServicePredicate, rotateCertificatePredicate];
