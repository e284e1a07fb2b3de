/** When a service may be put back on an earlier release, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsRollouts = `${rowsAt("'deployments.rollouts'")} done where done.r ->> 'service_id' = q.args ->> 'serviceId'`;

/**
 * A degraded service without an open operation, a release of its own, running what its newest rollout brought, and not moved to that release before.
 * A rollout without `from_release` is the first installation and no move. `from_release` is left out of sameEffect: a second rollback starts from
 * the target of the first, and is the same effect all the same.
 */
export const rollBackReleasePredicate: Predicate = {
  tool: 'roll_back_release',
  subjects: {
    service: rowAt("'deployments.services'", `q.args ->> 'serviceId'`), target: rowAt("'deployments.releases'", `q.args ->> 'targetRelease'`),
    rule: rowAt("'holdpoint.policies'", `'roll_back_release'`),
  },
  status: `service ->> 'status' = 'DEGRADED' and service ->> 'unresolved_operation' is null and target ->> 'service_id' = q.args ->> 'serviceId'`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select coalesce((array_agg(done.r ->> 'to_release' order by (done.r ->> 'rollout_id')::bigint desc))[1], service ->> 'current_release')
    from ${itsRollouts}) = service ->> 'current_release'`,
  notApplied: `service is not null and 0 = (select count(*) from ${itsRollouts} and done.r -> 'to_release' = q.args -> 'targetRelease' and done.r ->> 'from_release' is not null)`,
  sideEffectTable: 'deployments.rollouts',
  sameEffect: `case when r ->> 'from_release' is not null then jsonb_build_array(r -> 'service_id', r -> 'to_release') end`,
  wantedEffect: `jsonb_build_array(q.args -> 'serviceId', q.args -> 'targetRelease')`,
};
