/** Contract: install a service's new TLS certificate. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'rotate_certificate';

/** Installs one certificate, known by its serial number. The status stays as it is: a degraded service needs a valid certificate no less than a healthy one. */
export const rotateCertificate: ToolContract = {
  tool,
  domain: 'deployments',
  description: 'Install the new TLS certificate of a service that is healthy or degraded.',
  arguments: {
    serviceId: { type: 'text', description: 'the id of the service', maxLength: 40 },
    // 20 octets in hexadecimal, with colons: the longest that certificates may have.
    serialNumber: { type: 'text', description: 'the serial number of the new certificate', maxLength: 59 },
  },
  locks: [
    { name: 'the_service', table: 'deployments.services', keyColumn: 'service_id', key: { argument: 'serviceId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_service',
  allowedStates: ['HEALTHY', 'DEGRADED'],
  clauses: {
    status: `the_service.status in ('HEALTHY', 'DEGRADED') and the_service.unresolved_operation is null`,
    policy: 'policy.allowed',
    integrity: `the_service.certificate_serial = coalesce((select x.serial_number from deployments.certificates x
      where x.world_id = p_world and x.service_id = a_service_id order by x.certificate_id desc limit 1), '')`,
    notApplied: `not exists (select from deployments.certificates x
      where x.world_id = p_world and x.service_id = a_service_id and x.serial_number = a_serial_number)`,
  },
  effect: [
    'update deployments.services set certificate_serial = a_serial_number where world_id = p_world and service_id = a_service_id',
    'insert into deployments.certificates (world_id, service_id, serial_number) values (p_world, a_service_id, a_serial_number)',
  ],
  sideEffectTable: 'deployments.certificates',
  irreversible: 'The new certificate is in use: it is replaced by another one.',
};
