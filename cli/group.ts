/** `holdpoint group`: who the entry `group:<name>` of a policy stands for. */
import { addToGroup, listGroups, removeFromGroup } from '../database/groups.ts';
import { roleUrl } from '../database/role-url.ts';
import { createPool } from '../database/pool.ts';
import { printable, printResult, type CommandModule } from './output.ts';
import { columns } from './runtime/columns.ts';
import { asOwner } from './runtime/owner.ts';
import { findSettings } from './runtime/settings.ts';

const examples = `
Examples:
  holdpoint group add night-shift maria.lindqvist
  holdpoint group remove night-shift maria.lindqvist
  holdpoint group list --json`;

/** Exit code 0, also where nothing had to be changed; 1 where the URL is not the owner's, 2 for a name that cannot be. */
export const registerGroup: CommandModule = (program) => {
  const group = program.command('group').description("Put people into groups and take them out: a policy's entry group:<name> stands for them.").addHelpText('after', examples);
  const change = (name: 'add' | 'remove', description: string): void => {
    group.command(name).description(description).argument('<group>').argument('<person>').option('--json', 'print one JSON document')
      .action(async (to: string, person: string, flags: { json?: boolean }) => {
        const changed = await asOwner((owner) => (name === 'add' ? addToGroup(owner, to, person) : removeFromGroup(owner, to, person)));
        const is = name === 'add' ? 'is' : 'is not';
        printResult(flags, { group: to, person, changed }, () => `${printable(person)} ${is} in ${printable(to)}${changed ? '' : ', as before'}.`);
      });
  };
  change('add', 'Put somebody into a group, as the owner of the database.');
  change('remove', 'Take somebody out of a group: what they approved through it and is not committed yet is denied.');
  group.command('list').description('List the groups and their people.').option('--json', 'print one JSON document').action(async (flags: { json?: boolean }) => {
    const pool = createPool({ url: roleUrl((await findSettings()).databaseUrl, 'holdpoint_reader'), max: 1, name: 'holdpoint-groups' });
    try {
      const groups = await listGroups(pool);
      printResult(flags, { groups }, () => (groups.length === 0 ? 'There are no groups.' : columns(['group', 'people'], groups.map((row) => [row.group, row.people.join(', ')]))));
    } finally {
      await pool.end();
    }
  });
};
