/** When a release may be promoted, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsPromotions = `${rowsAt("'deployments.promotions'")} ordered where ordered.r ->> 'service_id' = q.args ->> 'serviceId'`;

/**
 * A healthy service without an open operation; a release of its own that passed its tests; the service shows what was ordered last, or nothing where nothing
 * ever was; and this release was never ordered for it. What a promotion replaces is left out of sameEffect: ordering a release twice is the same act.
 */
export const promoteReleasePredicate: Predicate = {
  tool: 'promote_release',
  subjects: {
    service: rowAt("'deployments.services'", `q.args ->> 'serviceId'`), candidate: rowAt("'deployments.releases'", `q.args ->> 'releaseId'`),
    rule: rowAt("'holdpoint.policies'", `'promote_release'`),
  },
  status: `service ->> 'status' = 'HEALTHY' and service ->> 'unresolved_operation' is null
    and candidate @> jsonb_build_object('service_id', q.args -> 'serviceId', 'test_result', 'PASSED')`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `nullif(service ->> 'promoted_release', '') is not distinct from
    (select (array_agg(ordered.r ->> 'release_id' order by (ordered.r ->> 'promotion_id')::bigint desc))[1] from ${itsPromotions}) and service is not null`,
  notApplied: `service is not null and 0 = (select count(*) from ${itsPromotions} and ordered.r -> 'release_id' = q.args -> 'releaseId')`,
  sideEffectTable: 'deployments.promotions',
  sameEffect: `jsonb_build_array(r -> 'service_id', r -> 'release_id')`,
  wantedEffect: `jsonb_build_array(q.args -> 'serviceId', q.args -> 'releaseId')`,
};
