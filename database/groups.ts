/** Groups of people: an entry `group:<name>` among a policy's approvers stands for whoever is in the group. */
import type { Queryable } from './pool.ts';
import { nameProblem } from './tokens.ts';

/** A group and its people, sorted. */
export type GroupRow = { readonly group: string; readonly people: readonly string[] };

/** Puts somebody into a group, with the owner's rights. @returns whether they were not in it. @throws RangeError in one sentence for a name that cannot be */
export async function addToGroup(owner: Queryable, group: string, person: string): Promise<boolean> {
  const problem = nameProblem(group) ?? nameProblem(person);
  if (problem !== null) throw new RangeError(problem);
  const { rowCount } = await owner.query('insert into holdpoint.group_members (group_name, person) values ($1, $2) on conflict do nothing', [group, person]);
  return rowCount === 1;
}

/** Takes somebody out of a group: what they approved through it and is not committed yet is denied. @returns whether they were in it */
export async function removeFromGroup(owner: Queryable, group: string, person: string): Promise<boolean> {
  const { rowCount } = await owner.query('delete from holdpoint.group_members where group_name = $1 and person = $2', [group, person]);
  return rowCount === 1;
}

/** All groups that have somebody in them, by name; also with the reader's rights. */
export async function listGroups(db: Queryable): Promise<readonly GroupRow[]> {
  const { rows } = await db.query<GroupRow>('select group_name as "group", array_agg(person order by person) as people from holdpoint.group_members group by 1 order by 1');
  return rows;
}
