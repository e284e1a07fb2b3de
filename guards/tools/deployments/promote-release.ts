/** Contract: promote a tested release on a healthy service. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'promote_release';

/** Orders one promotion and moves the service from HEALTHY to DEPLOYING. What runs changes later, when the rollout is through. */
export const promoteRelease: ToolContract = {
  tool,
  domain: 'deployments',
  description: 'Promote a release that passed its tests to production on a healthy service.',
  arguments: {
    serviceId: { type: 'text', description: 'the id of the service', maxLength: 40 },
    releaseId: { type: 'text', description: 'the id of the release to promote', maxLength: 40 },
  },
  locks: [
    { name: 'the_release', table: 'deployments.releases', keyColumn: 'release_id', key: { argument: 'releaseId' }, strength: 'share' },
    { name: 'the_service', table: 'deployments.services', keyColumn: 'service_id', key: { argument: 'serviceId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_service',
  allowedStates: ['HEALTHY'],
  clauses: {
    status: `the_service.status = 'HEALTHY' and the_service.unresolved_operation is null
      and the_release.service_id = a_service_id and the_release.test_result = 'PASSED'`,
    policy: 'policy.allowed',
    integrity: `the_service.promoted_release = coalesce((select x.release_id from deployments.promotions x
      where x.world_id = p_world and x.service_id = a_service_id order by x.promotion_id desc limit 1), '')`,
    notApplied: `not exists (select from deployments.promotions x
      where x.world_id = p_world and x.service_id = a_service_id and x.release_id = a_release_id)`,
  },
  effect: [
    `update deployments.services set promoted_release = a_release_id, status = 'DEPLOYING' where world_id = p_world and service_id = a_service_id`,
    `insert into deployments.promotions (world_id, service_id, release_id, replaces_release)
      values (p_world, a_service_id, a_release_id, the_service.current_release)`,
  ],
  sideEffectTable: 'deployments.promotions',
  irreversible: 'The rollout has been ordered: another release takes its place by another rollout.',
};
