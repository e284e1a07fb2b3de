/** When a role may be granted, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const theirGrants = `${rowsAt("'access.grants'")} given where given.r ->> 'person_id' = q.args ->> 'personId'`;

/** An active person without an open operation, a grantable role, a role count equal to the grants, and this role not among them. */
export const grantRolePredicate: Predicate = {
  tool: 'grant_role',
  subjects: {
    who: rowAt("'access.people'", `q.args ->> 'personId'`), what: rowAt("'access.roles'", `q.args ->> 'roleId'`), rule: rowAt("'holdpoint.policies'", `'grant_role'`),
  },
  status: `who ->> 'status' = 'ACTIVE' and who ->> 'unresolved_operation' is null and what ->> 'grantable' = 'true'`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select count(*) from ${theirGrants}) = (who ->> 'role_count')::bigint`,
  notApplied: `who is not null and 0 = (select count(*) from ${theirGrants} and given.r ->> 'role_id' = q.args ->> 'roleId')`,
  sideEffectTable: 'access.grants',
  sameEffect: `jsonb_build_array(r -> 'person_id', r -> 'role_id')`,
  wantedEffect: `jsonb_build_array(q.args -> 'personId', q.args -> 'roleId')`,
};
