/** Contract: let a person back in who was locked out by failed log-ins. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'unlock_account';

/**
 * Moves the person from LOCKED to ACTIVE, forgets the failed log-ins and keeps one unlock. Nobody with an open case is unlocked: the lock may be what
 * keeps a stolen password out. A case's insertion bumps the person's version, so its absence is locked through the person.
 */
export const unlockAccount: ToolContract = {
  tool,
  domain: 'access',
  description: 'Unlock the account of a person who was locked out after failed log-ins.',
  arguments: {
    personId: { type: 'text', description: 'the id of the person', maxLength: 40 },
    ticketNumber: { type: 'text', description: 'the number of the service desk ticket that asks for it', maxLength: 40 },
  },
  locks: [
    { name: 'the_person', table: 'access.people', keyColumn: 'person_id', key: { argument: 'personId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_person',
  allowedStates: ['LOCKED'],
  clauses: {
    status: `the_person.status = 'LOCKED' and the_person.unresolved_operation is null
      and not exists (select from access.cases c where c.world_id = p_world and c.person_id = a_person_id and c.open)`,
    policy: 'policy.allowed',
    integrity: 'the_person.unlock_count = (select count(*) from access.unlocks u where u.world_id = p_world and u.person_id = a_person_id)',
    notApplied: `not exists (select from access.unlocks u
      where u.world_id = p_world and u.person_id = a_person_id and u.ticket_number = a_ticket_number)`,
  },
  effect: [
    `update access.people set status = 'ACTIVE', failed_logins = 0, unlock_count = unlock_count + 1 where world_id = p_world and person_id = a_person_id`,
    'insert into access.unlocks (world_id, person_id, ticket_number) values (p_world, a_person_id, a_ticket_number)',
  ],
  sideEffectTable: 'access.unlocks',
};
