/** When a locked account may be unlocked, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';

const theirUnlocks = `${rowsAt("'access.unlocks'")} freed where freed.r ->> 'person_id' = q.args ->> 'personId'`;

/** A person locked out, without an open operation or an open case, an unlock count equal to the unlocks, and this ticket not among them. */
export const unlockAccountPredicate: Predicate = {
  tool: 'unlock_account',
  subjects: { who: rowAt("'access.people'", `q.args ->> 'personId'`), rule: rowAt("'holdpoint.policies'", `'unlock_account'`) },
  status: `who ->> 'status' = 'LOCKED' and who ->> 'unresolved_operation' is null
    and 0 = (select count(*) from ${rowsAt("'access.cases'")} matter where matter.r @> jsonb_build_object('person_id', q.args -> 'personId', 'open', true))`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select count(*) from ${theirUnlocks}) = (who ->> 'unlock_count')::bigint`,
  notApplied: `who is not null and 0 = (select count(*) from ${theirUnlocks} and freed.r -> 'ticket_number' = q.args -> 'ticketNumber')`,
  sideEffectTable: 'access.unlocks',
  sameEffect: `jsonb_build_array(r -> 'person_id', r -> 'ticket_number')`,
  wantedEffect: `jsonb_build_array(q.args -> 'personId', q.args -> 'ticketNumber')`,
};
