/** When replicas may be added to a service, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsScalings = `${rowsAt("'deployments.scalings'")} grown where grown.r ->> 'service_id' = q.args ->> 'serviceId'`;

/**
 * A service that runs steadily, without an open operation; room for the new replicas under its ceiling; every replica beyond the base accounted for by a
 * scaling; none for this event. The number is left out of sameEffect: to scale twice for one event is a repetition, by whatever number.
 */
export const scaleServicePredicate: Predicate = {
  tool: 'scale_service',
  subjects: { service: rowAt("'deployments.services'", `q.args ->> 'serviceId'`), rule: rowAt("'holdpoint.policies'", `'scale_service'`) },
  status: `service ->> 'status' = any ('{HEALTHY,ROLLED_BACK}') and service ->> 'unresolved_operation' is null`,
  policy: `(rule ->> 'allowed')::boolean
    and (service ->> 'max_replicas')::numeric - (service ->> 'replicas')::numeric >= (q.args ->> 'addReplicas')::numeric`,
  integrity: `(service ->> 'replicas')::numeric - (service ->> 'base_replicas')::numeric
    = (select coalesce(sum((grown.r ->> 'replicas_added')::numeric), 0) from ${itsScalings})`,
  notApplied: `service is not null and 0 = (select count(*) from ${itsScalings} and grown.r -> 'event_name' = q.args -> 'eventName')`,
  sideEffectTable: 'deployments.scalings',
  sameEffect: `jsonb_build_array(r -> 'service_id', r -> 'event_name')`,
  wantedEffect: `jsonb_build_array(q.args -> 'serviceId', q.args -> 'eventName')`,
};
