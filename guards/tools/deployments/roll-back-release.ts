/** Contract: put a degraded service back on an earlier release. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'roll_back_release';

/** Orders one rollout to the target release and moves the service from DEGRADED to ROLLED_BACK. */
export const rollBackRelease: ToolContract = {
  tool,
  domain: 'deployments',
  description: 'Roll a degraded service back to an earlier release.',
  arguments: {
    serviceId: { type: 'text', description: 'the id of the service', maxLength: 40 },
    targetRelease: { type: 'text', description: 'the id of the release to go back to', maxLength: 40 },
  },
  locks: [
    { name: 'the_release', table: 'deployments.releases', keyColumn: 'release_id', key: { argument: 'targetRelease' }, strength: 'share' },
    { name: 'the_service', table: 'deployments.services', keyColumn: 'service_id', key: { argument: 'serviceId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_service',
  allowedStates: ['DEGRADED'],
  clauses: {
    status: `the_service.status = 'DEGRADED' and the_service.unresolved_operation is null and the_release.service_id = a_service_id`,
    policy: 'policy.allowed',
    integrity: `the_service.current_release = coalesce((select r.to_release from deployments.rollouts r
      where r.world_id = p_world and r.service_id = a_service_id order by r.rollout_id desc limit 1), the_service.current_release)`,
    notApplied: `not exists (select from deployments.rollouts r where r.world_id = p_world and r.service_id = a_service_id
      and r.to_release = a_target_release and r.from_release is not null)`,
  },
  effect: [
    `update deployments.services set current_release = a_target_release, status = 'ROLLED_BACK' where world_id = p_world and service_id = a_service_id`,
    `insert into deployments.rollouts (world_id, service_id, from_release, to_release)
      values (p_world, a_service_id, coalesce((select r.to_release from deployments.rollouts r
        where r.world_id = p_world and r.service_id = a_service_id order by r.rollout_id desc limit 1), 'none'), a_target_release)`,
  ],
  sideEffectTable: 'deployments.rollouts',
  irreversible: 'The release has been rolled out: another one takes its place by another rollout.',
};
