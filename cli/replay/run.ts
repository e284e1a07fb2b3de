/** Replays histories against today's workflow code without any server, and compares what the code would send with what was sent. */
import { IllegalStateError } from '@temporalio/common';
import type { History, Payload } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { printable } from '../output.ts';
import { workflowBundle } from '../runtime/bundle.ts';
import type { ReadHistory } from './read-history.ts';

/** `replays`: the same commands with the same contents. `differs`: the same commands, other contents. `fails`: another order or kind of commands. */
export type ReplayResult = Pick<ReadHistory, 'file' | 'workflowId' | 'workflowType' | 'events' | 'ended'> & { readonly result: 'replays' | 'differs' | 'fails'; readonly why: string | null };

let quiet = false;

/**
 * Replays one after the other; nothing acts, because no activity runs. The SDK's replay matches commands by order and kind only, so what the code would
 * send (inputs of activities and children, answers, results) is compared byte by byte as well. Inputs of local activities are in no history: they are not compared.
 */
export async function replayHistories(histories: readonly ReadHistory[]): Promise<ReplayResult[]> {
  makeQuiet();
  const workflows = await workflowBundle();
  const results: ReplayResult[] = [];
  for (const read of histories) {
    const { file, workflowId, workflowType, events, ended, history } = read;
    const made = new Set<string>();
    const codec = {
      encode: (payloads: Payload[]): Promise<Payload[]> => {
        for (const { data } of payloads) made.add(bytes(data));
        return Promise.resolve(payloads);
      },
      decode: (payloads: Payload[]): Promise<Payload[]> => Promise.resolve(payloads),
    };
    const failure = await Worker.runReplayHistory({ workflowBundle: workflows, dataConverter: { payloadCodecs: [codec] } }, history, workflowId).then(() => null, (error: unknown) => sentence(error));
    const difference = failure === null ? differenceOf(history, made) : null;
    results.push({ file, workflowId, workflowType, events, ended, result: failure !== null ? 'fails' : difference !== null ? 'differs' : 'replays', why: failure ?? difference });
  }
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

/** The first event whose content the code of today did not make, or null. */
function differenceOf(history: History, made: ReadonlySet<string>): string | null {
  for (const event of history.events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    const sent: [string, Payload[] | null | undefined][] = [
      [`the input of the activity ${scheduled?.activityType?.name ?? ''}`, scheduled?.input?.payloads],
      [`the input of the child ${child?.workflowId ?? ''}`, child?.input?.payloads],
      ['the answer to an update', event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success?.payloads],
      ['the result', event.workflowExecutionCompletedEventAttributes?.result?.payloads],
      ['the input of the next run', event.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads],
    ];
    for (const [what, payloads] of sent)
      for (const { data } of payloads ?? [])
        if (!made.has(bytes(data))) return `contents differ at event ${String(event.eventId)}: ${what} was ${printable(Buffer.from(data ?? []).toString('utf8'), 300)}, which today's code does not send`;
  }
  return null;
}

const bytes = (data: Uint8Array | null | undefined): string => Buffer.from(data ?? []).toString('base64');

/** The core wraps its message in a dump of a structure: the message alone is for people. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error));
  const inner = /message: "((?:[^"\\]|\\.)*)"/.exec(error.message)?.[1];
  return `${error.name}: ${printable(inner ?? error.message, 600)}`;
}
