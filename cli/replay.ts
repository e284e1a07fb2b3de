/** `holdpoint replay`: whether recorded histories still replay with today's workflows, without any server, whether they would send the same, and whether their events fit together. */
import { printable, printResult, UserError, type CommandModule } from './output.ts';
import { readHistory } from './replay/read-history.ts';
import { replayHistories, type ReplayResult } from './replay/run.ts';

/** Exit code 0 where every history replays with the same contents; 1 with a sentence, and the event's number, where one does not, was altered, is cut, or is none. */
export const registerReplay: CommandModule = (program) => {
  program
    .command('replay')
    .description('Replay workflow histories against the code of today, and find what was altered. Needs no server and touches nothing.')
    .argument('<file...>', "histories: the UI's download, or `temporal workflow show --output json`")
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ temporal workflow show --workflow-id my-episode --output json > episode.json && holdpoint replay episode.json\n  $ holdpoint replay test/replay/histories/*.json --json')
    .action(async (files: string[], options: { json?: boolean }) => {
      const replayed = await replayFiles(files);
      printResult(options, { histories: replayed }, () => replayed.map(describe).join('\n'));
      const bad = replayed.filter((one) => one.result !== 'replays');
      if (bad.length > 0) throw new UserError(`${String(bad.length)} of ${String(replayed.length)} histories do not replay as they were recorded.`);
    });
};

/** One after the other. Among many, one that is torn has its sentence in its place and takes nothing from the others. @throws UserError where the only one is torn */
async function replayFiles(files: readonly string[]): Promise<ReplayResult[]> {
  const results: ReplayResult[] = [];
  for (const file of files) {
    const read = await readHistory(file).catch((error: unknown) => {
      if (error instanceof UserError && files.length > 1) return error;
      throw error;
    });
    results.push(...(read instanceof UserError ? [torn(file, read)] : await replayHistories([read])));
  }
  return results;
}

function torn(file: string, { message }: UserError): ReplayResult {
  return { file, workflowId: 'unknown', workflowType: 'unknown', events: 0, ended: false, result: 'fails', why: message, findings: [] };
}

function describe({ file, workflowType, workflowId, events, ended, result, why, findings }: ReplayResult): string {
  if (events === 0) return `${printable(file)}: ${why ?? result}`;
  const named = [file, workflowType, workflowId].map((text) => printable(text));
  const state = ended ? '' : `, not ended: still running, or cut off after event ${String(events)}`;
  const [first = '', type = '', id = ''] = named;
  return [`${first}: ${type} ${id}, ${String(events)} events${state}: ${result}${why === null ? '' : `: ${why}`}`, ...findings.slice(1).map(({ sentence }) => `  also: ${sentence}`)].join('\n');
}
