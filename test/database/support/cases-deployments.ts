/** Worlds and spoilers of the further tools of the domain deployments. */
import { policyRow, withdrawal, type ToolCase } from './tool-cases.ts';

const ofService = `where world_id = $1 and service_id = 's1'`;
const set = (columns: string): string => `update deployments.services set ${columns} ${ofService}`;
const promotion = (release: string): string => `insert into deployments.promotions (world_id, service_id, release_id, replaces_release) values ($1, 's1', '${release}', 'r1')`;
const scaling = (event: string, replicas: number): string => `insert into deployments.scalings (world_id, service_id, event_name, replicas_added) values ($1, 's1', '${event}', ${String(replicas)})`;
const certificate = (serial: string): string => `insert into deployments.certificates (world_id, service_id, serial_number) values ($1, 's1', '${serial}')`;

/** By tool. */
export const deploymentsCases: Readonly<Record<string, ToolCase>> = {
  promote_release: {
    args: { serviceId: 's1', releaseId: 'r2' },
    otherArgs: { serviceId: 's1', releaseId: 'r3' },
    rows: [
      policyRow('promote_release'),
      { table: 'deployments.services', row: { service_id: 's1', status: 'HEALTHY', current_release: 'r1', promoted_release: 'r1' } },
      { table: 'deployments.services', row: { service_id: 's2', status: 'HEALTHY', current_release: 'q1' } },
      ...['r1', 'r2', 'r3'].map((release) => ({ table: 'deployments.releases', row: { release_id: release, service_id: 's1', artifact: `registry/s1:${release}`, test_result: 'PASSED' } })),
      { table: 'deployments.promotions', row: { service_id: 's1', release_id: 'r1', replaces_release: null } },
    ],
    spoilers: [
      { clause: 'status', how: 'a change freeze begins', statements: [set(`status = 'FROZEN'`)] },
      { clause: 'status', how: 'another operation is unresolved', statements: [set(`unresolved_operation = 'roll_back_release'`)] },
      { clause: 'status', how: 'a late test fails', statements: [`update deployments.releases set test_result = 'FAILED' where world_id = $1 and release_id = 'r2'`] },
      { clause: 'status', how: 'the release was never tested', statements: [`update deployments.releases set test_result = '' where world_id = $1 and release_id = 'r2'`] },
      { clause: 'status', how: 'the release moves to another service', statements: [`update deployments.releases set service_id = 's2' where world_id = $1 and release_id = 'r2'`] },
      withdrawal('promote_release'),
      { clause: 'integrity', how: 'a promotion is inserted that the service does not show', statements: [promotion('r3')] },
      { clause: 'integrity', how: 'the service shows a release that nobody promoted', statements: [set(`promoted_release = 'r3'`)] },
      { clause: 'integrity', how: 'the service forgets its promotions', statements: [set(`promoted_release = ''`)] },
      {
        clause: 'notApplied', how: 'the same release was promoted, and its rollout is through',
        statements: [promotion('r2'), set(`promoted_release = 'r2', current_release = 'r2'`)],
      },
      {
        clause: 'notApplied', how: 'the same release was promoted before the newest one',
        statements: [promotion('r2'), promotion('r3'), set(`promoted_release = 'r3'`)],
      },
    ],
  },
  scale_service: {
    args: { serviceId: 's1', eventName: 'spring fair', addReplicas: 3 },
    otherArgs: { serviceId: 's1', eventName: 'autumn fair', addReplicas: 2 },
    rows: [
      policyRow('scale_service'),
      { table: 'deployments.services', row: { service_id: 's1', status: 'HEALTHY', current_release: 'r1', base_replicas: 2, replicas: 3, max_replicas: 12 } },
      { table: 'deployments.scalings', row: { service_id: 's1', event_name: 'winter fair', replicas_added: 1 } },
    ],
    spoilers: [
      { clause: 'status', how: 'the service is degraded', statements: [set(`status = 'DEGRADED'`)] },
      { clause: 'status', how: 'another operation is unresolved', statements: [set(`unresolved_operation = 'promote_release'`)] },
      withdrawal('scale_service'),
      { clause: 'policy', how: 'the ceiling is lowered', statements: [set('max_replicas = 5')] },
      { clause: 'integrity', how: 'a scaling is inserted without its replicas', statements: [scaling('summer fair', 2)] },
      { clause: 'integrity', how: 'somebody adds a replica by hand', statements: [set('replicas = replicas + 1')] },
      { clause: 'integrity', how: 'the base is changed and the replicas are not', statements: [set('base_replicas = 3')] },
      { clause: 'notApplied', how: 'somebody else scales for the same event', statements: [scaling('spring fair', 3), set('replicas = replicas + 3')] },
      { clause: 'notApplied', how: 'the event is over, its replicas given back', statements: [scaling('spring fair', 0)] },
    ],
  },
  rotate_certificate: {
    args: { serviceId: 's1', serialNumber: '0A:02' },
    otherArgs: { serviceId: 's1', serialNumber: '0A:03' },
    rows: [
      policyRow('rotate_certificate'),
      { table: 'deployments.services', row: { service_id: 's1', status: 'DEGRADED', current_release: 'r1', certificate_serial: '0A:01' } },
      { table: 'deployments.certificates', row: { service_id: 's1', serial_number: '0A:01' } },
    ],
    spoilers: [
      { clause: 'status', how: 'a rollout begins', statements: [set(`status = 'DEPLOYING'`)] },
      { clause: 'status', how: 'another operation is unresolved', statements: [set(`unresolved_operation = 'scale_service'`)] },
      withdrawal('rotate_certificate'),
      { clause: 'integrity', how: 'a certificate is inserted that the service does not show', statements: [certificate('0A:09')] },
      { clause: 'integrity', how: 'the service shows a certificate that nobody installed', statements: [set(`certificate_serial = '0A:09'`)] },
      { clause: 'notApplied', how: 'somebody else installs the same certificate', statements: [certificate('0A:02'), set(`certificate_serial = '0A:02'`)] },
      {
        clause: 'notApplied', how: 'the same certificate was installed and replaced',
        statements: [certificate('0A:02'), certificate('0A:03'), set(`certificate_serial = '0A:03'`)],
      },
    ],
  },
};
