/** `holdpoint report`: an evaluation's folder as a page, as markdown and as tables, beside what the paper prints. */
import { basename, join, resolve } from 'node:path';
import { layersOf, unusedIn } from '../analysis/report/layers/layers.ts';
import { buildReport } from '../analysis/report/report.ts';
import { summarizeStudy } from '../analysis/study/summarize-study.ts';
import { runOnce } from './evaluate/plan.ts';
import { printable, printResult, say, UserError, type CommandModule } from './output.ts';
import { readBeside, refuseUnused } from './report/beside.ts';
import { leftOutOf } from './report/left-out.ts';
import { controllersOf, readRun } from './report/read.ts';
import { readReplanning } from './report/replans.ts';
import { outsideSupportOf } from './report/support.ts';
import { filesOf, writeFiles } from './report/write.ts';

type Flags = { beside?: string[]; json?: boolean; quiet?: boolean };

const examples = `
Writes report.html (one page that loads nothing from anywhere), report.md and one report-<table>.csv a table into the folder, from its settings.json,
outcomes.jsonl and replans, and from the folders given with --beside. The same outcomes and times give the same bytes. Figures of the paper stand beside ours
and enter none of them.

A folder beside is another finished evaluation. What it adds is recognised by what it holds: a proposer <model>+caution, proposals that were decoded several
times, further seeds of the same proposer, or one more model.

Examples:
  $ holdpoint evaluate --results results/mine && holdpoint report results/mine
  $ holdpoint report results/mine --beside results/caution --beside results/seeds-7-101
  $ holdpoint report results/mine --json                   what was written, and the first screen`;

/** Exit code 0 with a report; 1 with a report of a run in which every answer failed; 2 where the folder is no finished evaluation. */
export const registerReport: CommandModule = (program) => {
  program
    .command('report')
    .description('Write the report of an evaluation: a page, markdown, and CSV tables, beside what the paper prints.')
    .argument('<folder>', 'the folder of a finished `holdpoint evaluate`')
    .option('--beside <folder>', 'another finished evaluation to set beside this one; may be given several times', (folder: string, before: string[] | undefined) => [...(before ?? []), folder])
    .option('--json', 'print one JSON document')
    .option('--quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(run);
};

async function run(folder: string, flags: Flags): Promise<void> {
  const tell = (line: string): void => { if (flags.quiet !== true) say(line); };
  const { settings, outcomes } = await readRun(folder);
  const replans = await readReplanning(folder, settings);
  const beside = await readBeside(folder, settings, flags.beside ?? []);
  tell(`${String(outcomes.length)} outcomes: counting`);
  const summary = summarizeStudy(outcomes, { runOnce: runOnce(controllersOf(settings), settings.telemetry) });
  const view = { summary, outcomes, leftOut: leftOutOf(outcomes), support: outsideSupportOf(outcomes), replans, beside, settings: { ...settings, folder: basename(resolve(folder)) } };
  const layers = layersOf(view);
  refuseUnused(unusedIn(view, layers));
  const report = buildReport(view, layers);
  tell('drawing');
  const { drawCharts } = await import('./report/draw.ts'); // a plotting library takes a while to load, and no other command needs it
  const files = filesOf(report, await drawCharts(report.charts));
  await writeFiles(folder, files);
  const { firstScreen: { tried, cameOut, use }, notRun } = report;
  printResult(flags, { page: join(folder, 'report.html'), files: [...files.keys()], allFailed: report.allFailed, tried, cameOut, use, layers: layers.map(({ name }) => name), notRun }, () => [...use, '', ...cameOut, '', join(folder, 'report.html')].map((line) => printable(line, 20_000)).join('\n'));
  if (report.allFailed) throw new UserError(`Every answer in ${folder} failed: the report is written, and shows nothing but that.`);
}
