/** Contract: add replicas to a service for a named event. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'scale_service';

/**
 * Inserts one scaling under the event's name and keeps the service's replicas in step. The status stays as it is, so only the scaling tells that it was done.
 * A service in trouble or in a rollout is not scaled: more replicas can make either worse. The ceiling is part of the policy, not of the state.
 */
export const scaleService: ToolContract = {
  tool,
  domain: 'deployments',
  description: 'Add replicas to a steadily running service for an expected event.',
  arguments: {
    serviceId: { type: 'text', description: 'the id of the service', maxLength: 40 },
    eventName: { type: 'text', description: 'the name of the event', maxLength: 80 },
    addReplicas: { type: 'integer', description: 'how many replicas to add', minimum: 1 },
  },
  locks: [
    { name: 'the_service', table: 'deployments.services', keyColumn: 'service_id', key: { argument: 'serviceId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_service',
  allowedStates: ['HEALTHY', 'ROLLED_BACK'],
  clauses: {
    status: `the_service.status in ('HEALTHY', 'ROLLED_BACK') and the_service.unresolved_operation is null`,
    policy: 'policy.allowed and the_service.replicas + a_add_replicas <= the_service.max_replicas',
    integrity: `the_service.replicas = the_service.base_replicas + coalesce((select sum(x.replicas_added) from deployments.scalings x
      where x.world_id = p_world and x.service_id = a_service_id), 0)`,
    notApplied: `not exists (select from deployments.scalings x
      where x.world_id = p_world and x.service_id = a_service_id and x.event_name = a_event_name)`,
  },
  effect: [
    'update deployments.services set replicas = replicas + a_add_replicas where world_id = p_world and service_id = a_service_id',
    `insert into deployments.scalings (world_id, service_id, event_name, replicas_added)
      values (p_world, a_service_id, a_event_name, a_add_replicas)`,
  ],
  sideEffectTable: 'deployments.scalings',
};
