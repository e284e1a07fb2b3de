/** `holdpoint endure`: thousands of episodes wait for approval while the worker and Temporal are killed and restarted; nothing may be lost or done twice. */
import { endure, type EndureResult } from './endure/run.ts';
import { interruptible } from './endure/lab.ts';
import { printResult, UserError, wholeNumber, type CommandModule } from './output.ts';

/** Exit code 0 where every episode left exactly one ledger row, else 1 with one sentence for each thing that is wrong. */
export const registerEndure: CommandModule = (program) => {
  program
    .command('endure')
    .description('Hold many episodes, kill the worker and Temporal, restart both, approve all, and count what was committed. Brings its own servers.')
    .option('--episodes <n>', 'episodes that wait at once', wholeNumber('--episodes', { min: 1, max: 100_000 }), 2000)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ holdpoint endure                        2,000 episodes, about a minute and a half on two cores\n  $ holdpoint endure --episodes 100 --json')
    .action(async (options: { episodes: number; json?: boolean }) => {
      const result = await interruptible('The test of endurance', (signal) => endure({ episodes: options.episodes, signal }));
      printResult(options, result, () => describe(result));
      if (result.shortcomings.length > 0) throw new UserError(result.shortcomings.join(' '));
    });
};

function describe(result: EndureResult): string {
  const { episodes, held, ledgerRows, duplicates, startedS, heldS, restartS, finishedS, workerRssMb, serverRssMb, historyEvents } = result;
  return [
    `${String(held)} of ${String(episodes)} episodes were held when the worker and Temporal were killed; ${String(ledgerRows)} ledger rows, ${String(duplicates)} duplicates.`,
    `started in ${String(startedS)} s, all held after ${String(heldS)} s, both up again in ${String(restartS)} s, all approved and finished in ${String(finishedS)} s`,
    `memory: worker ${String(workerRssMb)} MB, Temporal ${String(serverRssMb)} MB; history: median ${String(historyEvents.median)}, at most ${String(historyEvents.max)} events an episode`,
  ].join('\n');
}
