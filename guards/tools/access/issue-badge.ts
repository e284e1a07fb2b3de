/** Contract: give an active person a badge that opens a building. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';

const tool = 'issue_badge';

/** Inserts one badge and keeps the person's badge count in step. The person's status stays as it is. A badge that was handed back counts no more. */
export const issueBadge: ToolContract = {
  tool,
  domain: 'access',
  description: 'Issue a building badge for a site to a person whose account is active.',
  arguments: {
    personId: { type: 'text', description: 'the id of the person', maxLength: 40 },
    siteId: { type: 'text', description: 'the id of the site that the badge opens', maxLength: 40 },
  },
  locks: [
    { name: 'the_person', table: 'access.people', keyColumn: 'person_id', key: { argument: 'personId' }, strength: 'no key update' },
    { name: 'the_site', table: 'access.sites', keyColumn: 'site_id', key: { argument: 'siteId' }, strength: 'share' },
    policyOf(tool),
  ],
  entity: 'the_person',
  allowedStates: ['ACTIVE'],
  clauses: {
    status: `the_person.status = 'ACTIVE' and the_person.unresolved_operation is null and the_site.issues_badges`,
    policy: 'policy.allowed',
    integrity: 'the_person.badge_count = (select count(*) from access.badges b where b.world_id = p_world and b.person_id = a_person_id and not b.returned)',
    notApplied: `not exists (select from access.badges b
      where b.world_id = p_world and b.person_id = a_person_id and b.site_id = a_site_id and not b.returned)`,
  },
  effect: [
    'update access.people set badge_count = badge_count + 1 where world_id = p_world and person_id = a_person_id',
    'insert into access.badges (world_id, person_id, site_id) values (p_world, a_person_id, a_site_id)',
  ],
  sideEffectTable: 'access.badges',
  irreversible: 'The badge has been handed out: it is taken back by being returned.',
};
