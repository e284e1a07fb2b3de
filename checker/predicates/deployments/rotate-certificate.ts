/** When a service's TLS certificate may be replaced, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const itsCertificates = `${rowsAt("'deployments.certificates'")} installed where installed.r ->> 'service_id' = q.args ->> 'serviceId'`;

/** A service that serves traffic and is in no rollout or freeze, without an open operation; it shows its newest certificate, or none where it has none; this one was never installed. */
export const rotateCertificatePredicate: Predicate = {
  tool: 'rotate_certificate',
  subjects: { service: rowAt("'deployments.services'", `q.args ->> 'serviceId'`), rule: rowAt("'holdpoint.policies'", `'rotate_certificate'`) },
  status: `service ->> 'status' = any ('{HEALTHY,DEGRADED}') and service ->> 'unresolved_operation' is null`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `nullif(service ->> 'certificate_serial', '') is not distinct from
    (select (array_agg(installed.r ->> 'serial_number' order by (installed.r ->> 'certificate_id')::bigint desc))[1] from ${itsCertificates}) and service is not null`,
  notApplied: `service is not null and 0 = (select count(*) from ${itsCertificates} and installed.r @> jsonb_build_object('serial_number', q.args -> 'serialNumber'))`,
  sideEffectTable: 'deployments.certificates',
  sameEffect: `jsonb_build_array(r -> 'service_id', r -> 'serial_number')`,
  wantedEffect: `jsonb_build_array(q.args -> 'serviceId', q.args -> 'serialNumber')`,
};
