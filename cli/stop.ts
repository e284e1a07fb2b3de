/** `holdpoint stop`: ends the servers that an earlier start left running, found by the state folder's records. */
import { defaultStateDir, stopRecorded } from '../stack/stack.ts';
import { printResult, type CommandModule } from './output.ts';

/** Stops servers of ours only, never one that the environment names. Exit code 0, also where nothing ran. */
export const registerStop: CommandModule = (program) => {
  program
    .command('stop')
    .description('Stop the servers that an earlier start left running.')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const stopped = await stopRecorded(defaultStateDir());
      printResult(options, { stopped }, () => (stopped.length === 0 ? 'Nothing of ours is running.' : `Stopped ${stopped.join(', ')}.`));
    });
};
