/** `holdpoint fork`: an episode's commit once more, in a world of its own, under another guard; then both side by side. */
import { Option } from 'commander';
import { failures } from '../contract/failures.ts';
import { Clause, Guard, GuardKind } from '../contract/guard.ts';
import { roleUrl } from '../database/role-url.ts';
import { createPool } from '../database/pool.ts';
import { compare } from './fork/compare.ts';
import { describeFork } from './fork/describe.ts';
import { findOrigin } from './fork/origin.ts';
import { forkIdFor, runFork } from './fork/run.ts';
import { printable, printResult, say, UserError, type CommandModule } from './output.ts';
import { connect } from './runtime/client.ts';
import { requireMigrated } from './runtime/migrated.ts';
import { findSettings, queueNames } from './runtime/settings.ts';
import { isServed } from './start/temporal-facts.ts';

type Flags = { guard: string; without?: Clause[]; at: string; id?: string; manual?: boolean; json?: boolean };

const examples = `
Examples:
  holdpoint fork my-episode                                     would the full predicate have let it through?
  holdpoint fork my-episode --guard version
  holdpoint fork my-episode --guard predicate --without policy  under a contract that lacks a clause
  holdpoint fork my-episode --manual --id what-if               people decide about the fork, as about any episode`;

/** Exit code 0 when the fork has ended, whatever came of it; 1 where the episode cannot be forked or the fork failed, 2 for a guard or a point that there is not. Needs a worker. */
export const registerFork: CommandModule = (program) => {
  program
    .command('fork')
    .description("Try an episode's commit again under another guard: a real episode in a world of its own, with the recorded proposal and all that others wrote before that commit.")
    .argument('<episodeId>', 'one that has ended and tried to commit; it stays as it is')
    .addOption(new Option('--guard <kind>', 'what the commit checks').choices(GuardKind.options).default('predicate'))
    .option('--without <clauses>', `clauses that the predicate leaves out, separated by commas: ${Clause.options.join(', ')}`, clausesOf)
    .option('--at <point>', 'from where on the guard is another one: `commit` is the only point', 'commit')
    .option('--id <id>', "the fork's own id; default: the episode's, the guard and a number")
    .option('--manual', 'let people decide about it; default: the simulated approver approves')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples)
    .action(fork);
};

async function fork(episodeId: string, flags: Flags): Promise<void> {
  if (flags.at !== 'commit') throw new UserError(`A fork begins at the commit and nowhere else: --at takes "commit", not "${printable(flags.at)}".`, 2);
  const guard = Guard.safeParse({ kind: flags.guard, without: flags.without ?? [] });
  if (!guard.success) throw new UserError(guard.error.issues[0]?.message ?? 'There is no such guard.', 2);
  const settings = await findSettings();
  await requireMigrated(settings.databaseUrl);
  const db = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_reader'), max: 2, name: 'holdpoint-fork' });
  try {
    const line = await connect(settings);
    try {
      const { client } = line;
      const origin = await findOrigin({ client, db }, episodeId);
      const queue = queueNames(settings.queuePrefix).commit;
      if (!(await isServed(client, queue, 'workflows'))) say(`No worker serves the queue ${queue} yet: the fork waits for one (\`holdpoint worker --queues commit\`).`);
      const forkId = flags.id ?? (await forkIdFor(db, episodeId, guard.data));
      await runFork({ client, db, queuePrefix: settings.queuePrefix }, origin, { forkId, guard: guard.data, manual: flags.manual === true });
      const comparison = await compare(db, origin, forkId);
      printResult(flags, comparison, () => describeFork(comparison));
      const { class: kind, reason } = comparison.fork.outcome;
      if (kind === 'infrastructure_failure') throw new UserError(`The fork ${printable(forkId, 1_000)} failed: ${reason === null ? kind : failures[reason].sentence}`);
    } finally {
      await line.close();
    }
  } finally {
    await db.end();
  }
}

/** @throws UserError (exit 2) for a clause that there is not */
function clausesOf(text: string): Clause[] {
  return text.split(',').map((name) => {
    const clause = Clause.safeParse(name.trim());
    if (!clause.success) throw new UserError(`There is no clause "${printable(name)}": ${Clause.options.join(', ')}.`, 2);
    return clause.data;
  });
}
