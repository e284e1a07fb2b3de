/** `holdpoint propose-rollback`: asks people whether one commit shall be taken back. Nothing is taken back before somebody else has approved. */
import { askAsPerson } from './propose-rollback/propose.ts';
import { describeProposed } from './propose-rollback/describe.ts';
import { printResult, type CommandModule } from './output.ts';
import { spanMs } from './runtime/span.ts';

type Flags = { readonly tokenFile?: string; readonly by?: string; readonly window: string; readonly json?: boolean };

const more = `
The rows that the commit wrote get their earlier values back, and rows that it inserted are removed, in one guarded commit with an op key of its own:
only if every row is exactly as the commit left it, else it is refused (state_diverged), and never twice. Versions go on, and the history keeps everything.
What has left the database, such as money or mail, cannot be taken back: that is refused here, in a sentence.
Who proposes is proved by a token (HOLDPOINT_TOKEN or --token-file) with the scope edit; --by counts where the policy of the commit's tool takes names without proof.

Examples:
  holdpoint propose-rollback --token-file maria.token my-episode:1
  holdpoint propose-rollback my-episode:1 --by maria.lindqvist --window 30m
  holdpoint show rollback/my-episode:1                               what waits, with the exact difference
  holdpoint approve --token-file supervisor.token rollback/my-episode:1`;

/** Exit code 0 where the request waits; 1 where there is nothing to take back or it cannot be, 2 where the command was used wrongly. */
export const registerProposeRollback: CommandModule = (program) => {
  program
    .command('propose-rollback')
    .description('Ask for a commit to be taken back: its rows as they were, if nobody wrote to them since; somebody else must approve.')
    .argument('<opKey>', 'of the commit, as `holdpoint audit` shows it: the episode, a colon and the step')
    .option('--token-file <path>', 'a file with the token of who proposes; default HOLDPOINT_TOKEN')
    .option('--by <name>', 'without a token only: who proposes, recorded without proof, where the policy takes that')
    .option('--window <span>', 'how long it can be decided: a number with s, m, h or d, at most 30d', '1h')
    .option('--json', 'print one JSON document')
    .addHelpText('after', more)
    .action(async (opKey: string, flags: Flags) => {
      const proposed = await askAsPerson(opKey, { ...flags, windowMs: spanMs('--window', flags.window) });
      printResult(flags, proposed, () => describeProposed(proposed));
    });
};
