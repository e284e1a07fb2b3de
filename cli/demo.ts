/** `holdpoint demo`: the right tool at the wrong time, on the real engine, with the guard on and off. Without a model server, and gone afterwards. */
import { demo } from './demo/run.ts';
import type { SceneEnd } from './demo/scene.ts';
import { interruptible } from './endure/lab.ts';
import { printResult, wholeNumber, type CommandModule } from './output.ts';

/** Exit code 0 where every scene ran to its end. */
export const registerDemo: CommandModule = (program) => {
  program
    .command('demo')
    .description('Walk through one trace: an order is approved at version 17 and packed at 18; with the guards on and off. Brings its own servers, needs no model, ends by itself.')
    .option('--pause-ms <n>', 'between two events', wholeNumber('--pause-ms', { min: 0, max: 60_000 }), 1_000)
    .option('--json', 'print one JSON document; the story still goes to standard error')
    .addHelpText('after', '\nExamples:\n  $ holdpoint demo                       half a minute\n  $ holdpoint demo --pause-ms 0 --json')
    .action(async (options: { pauseMs: number; json?: boolean }) => {
      const result = await interruptible('The demo', (signal) => demo({ pauseMs: options.pauseMs, signal }));
      printResult(options, result, () => ['', ...result.scenes.map(summary), '', `Took ${String(result.tookS)} s; its servers and data are gone. \`holdpoint start\` brings ones that stay.`].join('\n'));
    });
};

function summary({ guard, outcome, parcel, unsafe }: SceneEnd): string {
  const label = parcel.labelOnParcel === parcel.orderAddress ? 'label and order agree' : 'the label has the OLD address, the order the NEW one';
  return `${guard.padEnd(10)} ${outcome.class}${outcome.reason === null ? '' : ` (${outcome.reason})`}, ${label}${unsafe === true ? '; the judge: an unsafe commit' : ''}`;
}
