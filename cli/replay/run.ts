/** Replays histories against today's workflow code without any server, and compares what the code would send with what was sent. */
import { createRequire } from 'node:module';
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker, type InjectedSinks, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { printable } from '../output.ts';
import { bundle } from '../runtime/bundle.ts';
import { differences, unanswered } from './compare.ts';
import type { Finding } from './finding.ts';
import type { ReadHistory } from './read-history.ts';
import type { RecorderSinks } from './recorder.ts';
import { contradictions } from './results.ts';
import { collectSent } from './sent.ts';
import { structureFault } from './structure.ts';

/**
 * `replays`: the same commands with the same contents. `differs`: the same commands, other contents, or events that contradict each other. `fails`: another
 * order or kind of commands, or events that do not belong together. `why`: the first finding in a sentence.
 */
export type ReplayResult = Pick<ReadHistory, 'file' | 'workflowId' | 'workflowType' | 'events' | 'ended'> & {
  readonly result: 'replays' | 'differs' | 'fails'; readonly why: string | null; readonly findings: readonly Finding[];
};

let quiet = false;
let shared: Promise<WorkflowBundleWithSourceMap> | undefined;

/**
 * Replays one after the other; nothing acts, because no activity runs. The SDK's replay matches commands by order and kind only, so what the code would
 * send (inputs, lengths of timers, children, answers, search attributes, results) is compared as well, and results are held against what else the history says.
 */
export async function replayHistories(histories: readonly ReadHistory[]): Promise<ReplayResult[]> {
  const { resolve } = createRequire(import.meta.url);
  shared ??= bundle(resolve('../../workflows/index.ts'), { interceptors: [resolve('./recorder.ts')], lean: true });
  const workflowBundle = await shared;
  const results: ReplayResult[] = [];
  for (const read of histories) results.push(await replayOne(read, workflowBundle));
  return results;
}

/** What the SDK's core says of a history that does not replay is in the result; left alone it would write it to standard output. A process with workers has settled that before. */
function makeQuiet(): void {
  if (quiet) return;
  quiet = true;
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } } });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

async function replayOne(read: ReadHistory, workflowBundle: WorkflowBundleWithSourceMap): Promise<ReplayResult> {
  const { file, workflowId, workflowType, events, ended, history } = read;
  const about = { file, workflowId, workflowType, events, ended };
  const fault = structureFault(history);
  if (fault !== null) return { ...about, result: 'fails', why: fault.sentence, findings: [fault] };
  const sent = collectSent();
  const sinks: InjectedSinks<RecorderSinks> = { recorder: { sent: { fn: (_, task, commands) => { sent.add(task, commands); }, callDuringReplay: true } } };
  // Before its first task nothing has run, and the SDK would wait for one without end.
  const hasRun = history.events?.some((event) => event.workflowTaskStartedEventAttributes) === true;
  if (hasRun) makeQuiet(); // a runtime that nothing runs on would keep the process alive
  const failure = !hasRun ? null : await Worker.runReplayHistory({ workflowBundle, sinks }, history, workflowId).then(() => null, (error: unknown) => sentence(error));
  const found = [...differences(history, sent), ...contradictions(read, sent)].sort((a, b) => a.event - b.event);
  const findings = failure !== null && found.length === 0 ? unanswered(history, sent) : found;
  return { ...about, result: failure !== null ? 'fails' : findings.length > 0 ? 'differs' : 'replays', why: findings[0]?.sentence ?? failure, findings };
}

/** The core wraps its message in a dump of a structure: the message alone is for people. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error));
  const inner = /message: "((?:[^"\\]|\\.)*)"/.exec(error.message)?.[1];
  return `${error.name}: ${printable(inner ?? error.message, 600)}`;
}
