/** `holdpoint histories`: golden histories of every kind of workflow, recorded from real servers and replayed with the code of today. */
import { checkHistories, keptFolder } from './histories/check.ts';
import { recordHistories } from './histories/record.ts';
import { sceneNames } from './histories/scenes.ts';
import { interruptible } from './endure/lab.ts';
import { printable, printResult, say, UserError, type CommandModule } from './output.ts';

/** Exit code 1 where a kept history no longer replays, with a sentence for each; 2 where the folder or a name is none. */
export const registerHistories: CommandModule = (program) => {
  const histories = program.command('histories').description('Keep histories of every kind of workflow, and replay them with the code of today.');
  histories
    .command('check')
    .description('Replay the kept histories. Needs no server and touches nothing.')
    .argument('[folder]', 'where they are', keptFolder)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ holdpoint histories check\n  $ holdpoint histories check my-histories --json')
    .action(async (folder: string, options: { json?: boolean }) => {
      const checked = await checkHistories(folder);
      const text = `${String(checked.histories)} histories, ${String(checked.events)} events: ${checked.breaks.length === 0 ? 'all replay' : `${String(checked.breaks.length)} no longer replay`}.`;
      printResult(options, checked, () => [...checked.breaks.map(({ sentence }) => sentence), text].join('\n'));
      if (checked.breaks.length > 0) throw new UserError(`${String(checked.breaks.length)} of ${String(checked.histories)} kept histories no longer replay: use patched() where the order of commands changes.`);
    });
  histories
    .command('record')
    .description('Record histories anew, from servers of its own which are gone afterwards. Histories of before stay valuable: record what is new.')
    .argument('<name...>', `"all", or some of ${sceneNames.join(', ')}`)
    .option('--folder <folder>', 'where to write them', keptFolder)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ holdpoint histories record episode-edited\n  $ holdpoint histories record all --folder my-histories')
    .action(async (names: string[], options: { folder: string; json?: boolean }) => {
      const wanted = names.includes('all') ? sceneNames : names;
      const unknown = wanted.find((name) => !sceneNames.includes(name));
      if (unknown !== undefined) throw new UserError(`There is no kind "${printable(unknown)}": give "all", or some of ${sceneNames.join(', ')}.`, 2);
      const recorded = await interruptible('The recording', (signal) => recordHistories({ wanted, folder: options.folder, signal, say }));
      printResult(options, { recorded }, () => recorded.map(({ file, events }) => `${printable(file)}: ${String(events)} events`).join('\n'));
    });
};
