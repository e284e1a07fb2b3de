/** Worlds and spoilers of the further tools of the domain deployments. */
import { policyRow, withdrawal, type ToolCase } from './tool-cases.ts';

const ofService = `where world_id = $1 and service_id = 's1'`;
const set = (columns: string): string => `update deployments.services set ${columns} ${ofService}`;
const promotion = (release: string): string => `insert into deployments.promotions (world_id, service_id, release_id, replaces_release) values ($1, 's1', '${release}', 'r1')`;

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
};
