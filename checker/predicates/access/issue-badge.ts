/** When a building badge may be issued, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

/** Badges that the person carries: what was handed back opens nothing. */
const carried = `${rowsAt("'access.badges'")} badge where badge.r @> jsonb_build_object('person_id', q.args -> 'personId', 'returned', false)`;

/** An active person without an open operation, a site that issues badges, a badge count equal to the badges carried, and none of them for this site. */
export const issueBadgePredicate: Predicate = {
  tool: 'issue_badge',
  subjects: {
    who: rowAt("'access.people'", `q.args ->> 'personId'`), place: rowAt("'access.sites'", `q.args ->> 'siteId'`), rule: rowAt("'holdpoint.policies'", `'issue_badge'`),
  },
  status: `who ->> 'status' = 'ACTIVE' and who ->> 'unresolved_operation' is null and (place ->> 'issues_badges')::boolean`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(who ->> 'badge_count')::bigint - (select count(*) from ${carried}) = 0`,
  notApplied: `who is not null and 0 = (select count(*) from ${carried} and badge.r ->> 'site_id' = q.args ->> 'siteId')`,
  sideEffectTable: 'access.badges',
  sameEffect: `case when r -> 'returned' = 'false' then jsonb_build_array(r -> 'person_id', r -> 'site_id') end`,
  wantedEffect: `jsonb_build_array(q.args -> 'personId', q.args -> 'siteId')`,
};
