/** `holdpoint explain`: why a commit leaked, from the workflow's id or from its history file alone. */
import { accountHtml } from '../explain/html.ts';
import { accountText } from '../explain/text.ts';
import { roleUrl } from '../database/role-url.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { accountOfBatch, batchText } from './explain/all.ts';
import { accountOfEpisode, accountOfFile, isFile } from './explain/one.ts';
import { printable, printResult, say, UserError, type CommandModule } from './output.ts';
import { writeWhole } from './records/write-whole.ts';
import { findSettings, type Settings } from './runtime/settings.ts';

type Flags = { readonly json?: boolean; readonly html?: string; readonly all?: boolean; readonly batch?: string };

const examples = `
Examples:
  $ holdpoint explain my-episode                      why, from the database and Temporal
  $ holdpoint explain history.json --html why.html    from a history file alone, and as a page
  $ holdpoint explain --all --batch my-batch --json   every leak of a batch, graded`;

/** Exit code 0; 1 where nothing is known, the history does not replay or contradicts the database, or a leak of the batch is not explained as it truly is. Nothing acts. */
export const registerExplain: CommandModule = (program) => {
  program
    .command('explain')
    .description('Explain why a commit leaked: what was seen, approved and raced, what every guard and clause would have said, and the smallest change that would have stopped it.')
    .argument('[episode]', "a workflow's id, or a file with its history: the UI's download, or `temporal workflow show --output json`")
    .option('--html <file>', 'write the page with the timeline drawn as well')
    .option('--all', "every leak of a batch, held against the scenarios' hidden truth")
    .option('--batch <id>', 'which batch, with --all')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples)
    .action(async (asked: string | undefined, flags: Flags) => {
      if (flags.all === true) return explainAll(asked, flags);
      if (asked === undefined || flags.batch !== undefined) throw new UserError('Give one workflow id or history file, or --all with --batch.', 2);
      return explainOne(asked, flags);
    });
};

async function explainOne(asked: string, flags: Flags): Promise<void> {
  const account = isFile(asked) ? await accountOfFile(asked) : await withReader((pool, settings) => accountOfEpisode(pool, settings, asked));
  if (flags.html !== undefined) await writePage(flags.html, accountHtml(account));
  printResult(flags, account, () => accountText(account));
  const { replay, contradictions } = account;
  if (replay !== null && replay.result !== 'replays') throw new UserError(`The history does not replay as it was recorded: ${replay.why ?? replay.result}.`);
  if (contradictions.length > 0) throw new UserError(contradictions[0] ?? 'The history and the database contradict each other.');
}

async function writePage(path: string, page: string): Promise<void> {
  await writeWhole(path, page).catch((error: unknown) => {
    throw new UserError(`${printable(path)} cannot be written (${(error as { code?: string }).code ?? 'unknown'}).`);
  });
}

async function explainAll(asked: string | undefined, flags: Flags): Promise<void> {
  const { batch } = flags;
  if (asked !== undefined || batch === undefined || flags.html !== undefined) throw new UserError('--all takes --batch and no episode, and writes no page.', 2);
  const account = await withReader((pool) => accountOfBatch(pool, batch, (done) => { say(`holdpoint: ${String(done)} episodes explained`); }));
  if (account.episodes === 0) throw new UserError(`There is no episode of a batch "${printable(batch)}".`);
  printResult(flags, account, () => batchText(account));
  if (account.unexplained > 0) throw new UserError(`${String(account.unexplained)} findings of the judge are explained by no commit: \`holdpoint leaks\` lists them.`);
  if (account.correct < account.leaks) throw new UserError(`${String(account.leaks - account.correct)} of ${String(account.leaks)} leaks are not explained as they truly are.`);
}

async function withReader<Result>(work: (pool: Pool, settings: Settings) => Promise<Result>): Promise<Result> {
  const settings = await findSettings();
  const pool = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_reader'), max: 4, name: 'holdpoint-explain' });
  try {
    return await work(pool, settings);
  } finally {
    await pool.end();
  }
}
