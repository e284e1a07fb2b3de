/** `holdpoint report`: an evaluation's folder as a page, as markdown and as tables, beside what the paper prints. */
import { basename, join, resolve } from 'node:path';
import { buildReport } from '../analysis/report/report.ts';
import { summarizeStudy } from '../analysis/study/summarize-study.ts';
import { runOnce } from './evaluate/plan.ts';
import { printResult, say, UserError, type CommandModule } from './output.ts';
import { leftOutOf } from './report/left-out.ts';
import { controllersOf, readRun } from './report/read.ts';
import { filesOf, writeFiles } from './report/write.ts';

type Flags = { json?: boolean; quiet?: boolean };

const examples = `
Writes report.html (one page that loads nothing from anywhere), report.md and one report-<table>.csv a table into the folder, from its settings.json and
outcomes.jsonl alone. The same outcomes give the same bytes. Figures of the paper stand beside ours and enter none of them.

Examples:
  $ holdpoint evaluate --results results/mine && holdpoint report results/mine
  $ holdpoint report results/mine --json                   what was written, and the first screen`;

/** Exit code 0 with a report; 1 with a report of a run in which every answer failed; 2 where the folder is no finished evaluation. */
export const registerReport: CommandModule = (program) => {
  program
    .command('report')
    .description('Write the report of an evaluation: a page, markdown, and CSV tables, beside what the paper prints.')
    .argument('<folder>', 'the folder of a finished `holdpoint evaluate`')
    .option('--json', 'print one JSON document')
    .option('--quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(run);
};

async function run(folder: string, flags: Flags): Promise<void> {
  const tell = (line: string): void => { if (flags.quiet !== true) say(line); };
  const { settings, outcomes } = await readRun(folder);
  tell(`${String(outcomes.length)} outcomes: counting`);
  const summary = summarizeStudy(outcomes, { runOnce: runOnce(controllersOf(settings), settings.telemetry) });
  const report = buildReport({ summary, outcomes, leftOut: leftOutOf(outcomes), settings: { ...settings, folder: basename(resolve(folder)) } });
  tell('drawing');
  const { drawCharts } = await import('./report/draw.ts'); // a plotting library takes a while to load, and no other command needs it
  const files = filesOf(report, await drawCharts(report.charts));
  await writeFiles(folder, files);
  const { firstScreen: { tried, cameOut, use } } = report;
  printResult(flags, { page: join(folder, 'report.html'), files: [...files.keys()], allFailed: report.allFailed, tried, cameOut, use }, () => [...use, '', ...cameOut, '', join(folder, 'report.html')].join('\n'));
  if (report.allFailed) throw new UserError(`Every answer in ${folder} failed: the report is written, and shows nothing but that.`);
}
