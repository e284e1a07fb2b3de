/** `holdpoint clean`: removes worlds, episodes, replies and histories by age. */
import { createPool, type Pool } from '../database/pool.ts';
import { defaultStateDir, startStack } from '../stack/stack.ts';
import { clean, countCleanable, type Cleaned } from './clean/clean.ts';
import { printResult, say, UserError, type CommandModule } from './output.ts';
import { connect } from './runtime/client.ts';
import { requireMigrated } from './runtime/migrated.ts';
import { spanMs } from './runtime/span.ts';
import { settingsOf, readyDatabase } from './start/servers.ts';
import { listenForEnd } from './start/ending.ts';
import { createProgress } from './start/progress.ts';
import type { Settings } from './runtime/settings.ts';

type Flags = { olderThan: number; dryRun?: boolean; json?: boolean };

const examples = `
Without DATABASE_URL the servers of \`holdpoint start\` are used, and started for it where they do not run.

Examples:
  holdpoint clean --dry-run                 what is older than 7 days
  holdpoint clean --older-than 12h --json
  DATABASE_URL=postgres://owner:… holdpoint clean --older-than 30d`;

/** Exit code 0, also where nothing was old enough. Needs the owner's URL: the ledger and the history let nobody else delete. */
export const registerClean: CommandModule = (program) => {
  program
    .command('clean')
    .description('Remove worlds with their episodes, ledger and history, and frozen replies, by age; never anything of a running episode.')
    .option('--older-than <age>', 'a number with s, m, h or d (default: 7d)', readAgeMs)
    .option('--dry-run', 'only say what would be removed')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples)
    .action(async (given: Omit<Flags, 'olderThan'> & { olderThan?: number }) => {
      const flags: Flags = { ...given, olderThan: given.olderThan ?? readAgeMs('7d') };
      const ending = listenForEnd('Interrupted: what was removed so far is whole worlds.', 'what was removed so far is whole worlds.');
      try {
        const cleaned = await withServers((owner, settings) => (flags.dryRun === true ? countCleanable(owner, flags.olderThan) : cleanNow(owner, flags, { settings, signal: ending.signal })), ending.signal);
        printResult(flags, { dryRun: flags.dryRun === true, ...cleaned }, () => describe(cleaned, flags.dryRun === true));
      } finally {
        ending.release();
      }
    });
};

/** Reads an age such as `7d` as milliseconds. @throws UserError (exit 2) */
export function readAgeMs(text: string): number {
  return spanMs('--older-than', text);
}

async function cleanNow(owner: Pool, flags: Flags, { settings, signal }: { settings: Settings | undefined; signal: AbortSignal }): Promise<Cleaned> {
  const line = settings === undefined ? undefined : await connect(settings);
  try {
    return await clean(owner, flags.olderThan, { temporal: line?.client, signal, onChunk: (worlds) => { say(`${String(worlds)} worlds removed`); } });
  } finally {
    await line?.close();
  }
}

/** Uses the database of DATABASE_URL, and Temporal where TEMPORAL_ADDRESS is set too; without DATABASE_URL, the servers of `start`. */
async function withServers<T>(use: (owner: Pool, settings: Settings | undefined) => Promise<T>, signal: AbortSignal): Promise<T> {
  const given = process.env['DATABASE_URL'] ?? '';
  const hasTemporal = given === '' || (process.env['TEMPORAL_ADDRESS'] ?? '') !== '';
  const progress = createProgress();
  const stack = await startStack({ parts: hasTemporal ? ['temporal', 'postgres'] : ['postgres'], stateDir: defaultStateDir(), signal, say: (line) => { say(`${line.part}: ${line.text}`); } });
  try {
    const databaseUrl = given === '' ? await readyDatabase(stack, progress) : given;
    await requireMigrated(databaseUrl);
    const owner = createPool({ url: databaseUrl, max: 2, name: 'holdpoint-clean', statementTimeoutMs: 120_000 });
    try {
      await requireOwner(owner);
      return await use(owner, hasTemporal ? settingsOf(stack, databaseUrl) : undefined);
    } finally {
      await owner.end();
    }
  } finally {
    await stack.stop();
  }
}

async function requireOwner(owner: Pool): Promise<void> {
  const { rows } = await owner.query<{ may: boolean }>("select has_table_privilege('holdpoint.ledger', 'delete') and has_table_privilege('holdpoint.row_history', 'delete') as may");
  if (rows[0]?.may !== true) throw new UserError("Only the owner of the database can clean it: give its owner's DATABASE_URL.");
}

function describe(of: Cleaned, isDry: boolean): string {
  const { worlds, episodes, history, ledger, replies, workflows, openEpisodes } = of;
  return [
    `${isDry ? 'Would remove' : 'Removed'} ${String(worlds)} worlds, ${String(episodes)} episodes, ${String(history)} rows of history, ${String(ledger)} ledger rows, ${String(replies)} frozen replies.`,
    ...(openEpisodes === 0 ? [] : [`${String(openEpisodes)} episodes have no end yet: they and all frozen replies stay (\`holdpoint reconcile\` ends those that were abandoned).`]),
    isDry ? 'A frozen reply that is removed is asked again by the next run that needs it.' : workflows === null ? "Workflows in Temporal are left to its retention: set TEMPORAL_ADDRESS to delete the removed episodes' there." : `${String(workflows)} closed workflows deleted from Temporal.`,
  ].join('\n');
}
