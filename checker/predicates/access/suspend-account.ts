/** When an account may be suspended, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const theirNotices = `${rowsAt("'access.suspension_notices'")} told where told.r ->> 'person_id' = q.args ->> 'personId'`;

/** An active person without an open operation, an open case about nobody else, the last case on the person's record being that of the newest notice, and none of this case. */
export const suspendAccountPredicate: Predicate = {
  tool: 'suspend_account',
  subjects: {
    who: rowAt("'access.people'", `q.args ->> 'personId'`), matter: rowAt("'access.cases'", `q.args ->> 'caseNumber'`), rule: rowAt("'holdpoint.policies'", `'suspend_account'`),
  },
  status: `who @> '{"status": "ACTIVE", "unresolved_operation": null}' and matter @> jsonb_build_object('open', true, 'person_id', q.args -> 'personId')`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select coalesce((array_agg(told.r ->> 'case_number' order by (told.r ->> 'notice_id')::bigint desc))[1], '') from ${theirNotices}) = who ->> 'last_suspension_case'`,
  notApplied: `who is not null and 0 = (select count(*) from ${theirNotices} and told.r -> 'case_number' = q.args -> 'caseNumber')`,
  sideEffectTable: 'access.suspension_notices',
  sameEffect: `jsonb_build_array(r -> 'person_id', r -> 'case_number')`,
  wantedEffect: `jsonb_build_array(q.args -> 'personId', q.args -> 'caseNumber')`,
};
