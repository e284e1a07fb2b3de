/** Contract: suspend a person's account on an open case. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'suspend_account';

/** Moves the person from ACTIVE to SUSPENDED and writes one notice. A case suspends once: who was let back in on it needs a new case to be suspended again. */
export const suspendAccount: ToolContract = {
  tool,
  domain: 'access',
  description: 'Suspend the active account of a person on an open case about that person, with a suspension notice.',
  arguments: {
    personId: { type: 'text', description: 'the id of the person', maxLength: 40 },
    caseNumber: { type: 'text', description: 'the number of the case that the suspension rests on', maxLength: 40 },
  },
  locks: [
    { name: 'the_case', table: 'access.cases', keyColumn: 'case_number', key: { argument: 'caseNumber' }, strength: 'share' },
    { name: 'the_person', table: 'access.people', keyColumn: 'person_id', key: { argument: 'personId' }, strength: 'no key update' },
    policyOf(tool),
  ],
  entity: 'the_person',
  allowedStates: ['ACTIVE'],
  clauses: {
    status: `the_person.status = 'ACTIVE' and the_person.unresolved_operation is null and the_case.open and the_case.person_id = a_person_id`,
    policy: 'policy.allowed',
    integrity: `the_person.last_suspension_case = coalesce((select n.case_number from access.suspension_notices n
      where n.world_id = p_world and n.person_id = a_person_id order by n.notice_id desc limit 1), '')`,
    notApplied: `not exists (select from access.suspension_notices n
      where n.world_id = p_world and n.person_id = a_person_id and n.case_number = a_case_number)`,
  },
  effect: [
    `update access.people set status = 'SUSPENDED', last_suspension_case = a_case_number where world_id = p_world and person_id = a_person_id`,
    'insert into access.suspension_notices (world_id, person_id, case_number) values (p_world, a_person_id, a_case_number)',
  ],
  sideEffectTable: 'access.suspension_notices',
  irreversible: 'The notice of the suspension has been sent: a suspension is lifted, not undone.',
};
