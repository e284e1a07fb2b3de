/** Contract: give an active person a role. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'grant_role';

/** Inserts one grant and keeps the person's role count in step. The person's status stays as it is. */
export const grantRole: ToolContract = {
  tool,
  domain: 'access',
  description: 'Grant a role to a person whose account is active.',
  arguments: {
    personId: { type: 'text', description: 'the id of the person', maxLength: 40 },
    roleId: { type: 'text', description: 'the id of the role', maxLength: 40 },
  },
  locks: [
    { name: 'the_person', table: 'access.people', keyColumn: 'person_id', key: { argument: 'personId' }, strength: 'no key update' },
    { name: 'the_role', table: 'access.roles', keyColumn: 'role_id', key: { argument: 'roleId' }, strength: 'share' },
    policyOf(tool),
  ],
  entity: 'the_person',
  allowedStates: ['ACTIVE'],
  clauses: {
    status: `the_person.status = 'ACTIVE' and the_person.unresolved_operation is null and the_role.grantable`,
    policy: 'policy.allowed',
    integrity: `the_person.role_count = (select count(*) from access.grants g where g.world_id = p_world and g.person_id = a_person_id)`,
    notApplied: 'not exists (select from access.grants g where g.world_id = p_world and g.person_id = a_person_id and g.role_id = a_role_id)',
  },
  effect: [
    'update access.people set role_count = role_count + 1 where world_id = p_world and person_id = a_person_id',
    'insert into access.grants (world_id, person_id, role_id) values (p_world, a_person_id, a_role_id)',
  ],
  sideEffectTable: 'access.grants',
};
