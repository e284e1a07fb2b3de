/** `holdpoint reconcile`: settles and writes down the episodes whose workflow was ended by force. */
import { roleUrl } from '../database/role-url.ts';
import { createPool } from '../database/pool.ts';
import { printable, printResult, type CommandModule } from './output.ts';
import { connect } from './runtime/client.ts';
import { reconcile, type Reconciled } from './runtime/reconcile.ts';
import { scoreWith } from './runtime/score.ts';
import { findSettings } from './runtime/settings.ts';

/** Exit code 0, also where nothing was to be done. Safe to run again, and while episodes run. */
export const registerReconcile: CommandModule = (program) => {
  program
    .command('reconcile')
    .description('Settle the episodes whose workflow was terminated, failed, timed out or is gone.')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const settings = await findSettings();
      const pool = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_worker'), max: 4, name: 'holdpoint-reconcile' });
      try {
        const connected = await connect(settings);
        try {
          const episodes = await reconcile({ client: connected.client, pool, score: scoreWith(pool) });
          printResult(options, { episodes }, () => describe(episodes));
        } finally {
          await connected.close();
        }
      } finally {
        await pool.end();
      }
    });
};

function describe(episodes: readonly Reconciled[]): string {
  if (episodes.length === 0) return 'Every episode is running or recorded: nothing to settle.';
  return episodes.map((one) => `${printable(one.episodeId)}: its workflow ${one.workflow}; ${one.outcome.class}${one.outcome.ledgerId === null ? '' : ` (ledger row ${one.outcome.ledgerId})`}, ${one.finding}`).join('\n');
}
