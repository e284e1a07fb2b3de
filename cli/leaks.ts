/** `holdpoint leaks`: every unsafe commit, repeated effect and unexplained effect in the database, as the judge finds it now. */
import { roleUrl } from '../database/role-url.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { countWorlds } from '../database/world-list.ts';
import { describeLeaks, type LinkedLeak } from './leaks/describe.ts';
import { findLeaks, type Found } from './leaks/find.ts';
import { printable, printResult, UserError, wholeNumber, type CommandModule } from './output.ts';
import { findSettings } from './runtime/settings.ts';
import { listenForEnd } from './start/ending.ts';
import { linksOf, type Ui } from './start/links.ts';
import { bar, createProgress } from './start/progress.ts';

type Flags = { batch?: string; limit: number; json?: boolean };

const examples = `
Nothing that was recorded about an episode is believed: every world is judged again from its history. Worst first: what the books cannot explain, then effects that
are there twice, then commits whose full predicate did not hold. Links need TEMPORAL_UI_URL, or the servers of \`holdpoint start\`.

Examples:
  $ holdpoint leaks
  $ holdpoint leaks --batch pilot --limit 20
  $ holdpoint leaks --batch pilot --json`;

/** Exit code 0, whether there are leaks or not; 1 where a batch has no episode or a world could not be judged. With the reader's rights. */
export const registerLeaks: CommandModule = (program) => {
  program
    .command('leaks')
    .description('List every unsafe commit, duplicate and unexplained effect that the judge finds in the database, worst first.')
    .option('--batch <id>', 'only the episodes of one batch')
    .option('--limit <n>', 'at most so many', wholeNumber('--limit', { min: 1, max: 100_000 }), 100)
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => {
      const settings = await findSettings();
      const pool = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_reader'), max: 2, name: 'holdpoint-leaks', statementTimeoutMs: 120_000 });
      try {
        const { leaks, ...found } = await look(pool, flags);
        const ui: Ui | undefined = settings.temporalUiUrl === undefined ? undefined : { url: settings.temporalUiUrl, namespace: settings.temporalNamespace };
        const linked: LinkedLeak[] = leaks.map((leak) => ({ ...leak, link: leak.episodeId === null ? null : (linksOf(ui, '', leak.episodeId)?.episode ?? null) }));
        printResult(flags, { batch: flags.batch ?? null, ...found, leaks: linked }, () => describeLeaks({ ...found, leaks: linked }));
        refuseUnknown(found);
      } finally {
        await pool.end();
      }
    });
};

async function look(pool: Pool, { batch, limit }: Flags): Promise<Found> {
  const range = { batchId: batch ?? null };
  const total = await countWorlds(pool, range);
  if (batch !== undefined && total === 0) throw new UserError(`There is no episode of a batch "${printable(batch)}".`);
  const progress = createProgress();
  const ending = listenForEnd('Interrupted: nothing was changed.', 'nothing.');
  try {
    return await findLeaks(pool, { ...range, limit, signal: ending.signal, onProgress: (done) => { progress.show(`${bar(done / total)} ${String(done)} of ${String(total)} worlds judged`); } });
  } finally {
    progress.clear();
    ending.release();
  }
}

function refuseUnknown({ unknownWorlds, unknown }: Pick<Found, 'unknownWorlds' | 'unknown'>): void {
  const [first] = unknown;
  if (first === undefined) return;
  throw new UserError(`${String(unknownWorlds)} ${unknownWorlds === 1 ? 'world' : 'worlds'} could not be judged, and may hold anything: world ${first.worldId}, ${printable(first.why)}.`);
}
