/** `holdpoint show`: one proposal in words, with what it rests on, who may decide, until when, and what was said. */
import { roleUrl } from '../database/role-url.ts';
import { createPool } from '../database/pool.ts';
import { digestFrom } from './deciding/flags.ts';
import { printResult, type CommandModule } from './output.ts';
import { findSettings } from './runtime/settings.ts';
import { describeShown } from './show/describe.ts';
import { readShown } from './show/read.ts';

const examples = `
Examples:
  holdpoint show my-episode                    the proposal that waits, or the latest
  holdpoint show my-episode --digest 5f1c…     an earlier one
  holdpoint show --json my-episode`;

/** Exit code 0; 1 where the episode never asked for approval, 2 for a digest that is none. */
export const registerShow: CommandModule = (program) => {
  program
    .command('show')
    .description('Show a proposal: in words, what it rests on then and now, who may decide, until when, and what was said.')
    .argument('<episodeId>', 'as `holdpoint approvals` shows it')
    .option('--digest <digest>', 'of one of its proposals; without it, the one that waits, or the latest', digestFrom('--digest', 'it shows'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples)
    .action(async (episodeId: string, flags: { digest?: string; json?: boolean }) => {
      const pool = createPool({ url: roleUrl((await findSettings()).databaseUrl, 'holdpoint_worker'), max: 4, name: 'holdpoint-show' });
      try {
        const shown = await readShown(pool, episodeId, flags.digest);
        printResult(flags, { episodeId, ...shown }, () => describeShown(shown));
      } finally {
        await pool.end();
      }
    });
};
