/** A debugger over the inspector's protocol, as far as a test needs one: a breakpoint by a line of source, through the source map, the way an editor sets it. */
import { EventEmitter, on } from 'node:events';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { openLine } from './web-socket.ts';

type Json = Record<string, unknown>;
type Message = { id?: number; method?: string; params?: Json; result?: Json; error?: { message: string } };
type CallFrame = { callFrameId: string; functionName: string; location: { lineNumber: number; columnNumber: number } };
type Script = { scriptId: string; url: string; sourceMapURL: string };
type Paused = { reason: string; data?: Script; callFrames: CallFrame[]; hitBreakpoints?: string[] };

/** An absolute path, and a line from 1. */
export type Place = { readonly source: string; readonly line: number };
/** `place`: where in the breakpoint's bundle a breakpoint stopped, or null for a stop that was asked for. `functions`: innermost first. */
export type Stop = { readonly frame: string; readonly place: Place | null; readonly functions: readonly string[] };
/** `nextStop` fails where the process comes to its end instead. */
export type Inspector = { nextStop(): Promise<Stop>; evaluate(stop: Stop, expression: string): Promise<unknown>; pause(): Promise<void>; goOn(): Promise<void>; detach(): Promise<void>; close(): void };

/** Attaches to a process under --inspect-brk and lets it run. @param address the `ws://` address that node prints */
export async function inspectorAt(address: string, breakpoint: Place): Promise<Inspector> {
  const answers = new Map<number, (message: Message) => void>();
  const events = new EventEmitter();
  const stops = on(events, 'stop') as AsyncIterator<[Stop], undefined>;
  let map: SourceMap | undefined;
  const socket = await openLine(address, (text) => {
    const message = JSON.parse(text) as Message;
    if (message.id !== undefined) answers.get(message.id)?.(message);
    else hear(message).catch((error: unknown) => events.emit('error', error));
  });
  const ask = (method: string, params: Json = {}): Promise<Json> => new Promise((resolve, reject) => {
    const id = answers.size + 1;
    answers.set(id, ({ result, error }) => { if (error) reject(new Error(`${method}: ${error.message}`)); else resolve(result ?? {}); });
    socket.send(JSON.stringify({ id, method, params }));
  });

  async function hear({ method, params = {} }: Message): Promise<void> {
    // A thread of an inspected process waits for its debugger before it runs: the replayer's thread that speaks to the extension would never answer.
    if (method === 'NodeWorker.attachedToWorker') await ask('NodeWorker.sendMessageToWorker', { sessionId: params['sessionId'], message: JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }) });
    if (method === 'NodeRuntime.waitingForDisconnect') throw new Error('The process is at its end and stopped no more.');
    if (method !== 'Debugger.paused') return;
    const { reason, data, callFrames, hitBreakpoints } = params as Paused;
    const [top] = callFrames;
    if (reason === 'instrumentation' && data !== undefined) await setBreakpoint(data);
    if (reason === 'instrumentation' || reason === 'Break on start' || top === undefined) {
      await ask('Debugger.resume');
      return;
    }
    const { lineNumber, columnNumber } = top.location;
    const place = hitBreakpoints?.length ? placeOf(map, lineNumber, columnNumber) : null;
    events.emit('stop', { frame: top.callFrameId, place, functions: callFrames.map((frame) => frame.functionName) } satisfies Stop);
  }

  /** By the script's address, not its id: the SDK compiles the bundle twice, and the first one runs no workflow. */
  async function setBreakpoint({ scriptId, url, sourceMapURL }: Script): Promise<void> {
    if (map !== undefined || !sourceMapURL.startsWith('data:')) return;
    const payload = JSON.parse(Buffer.from(sourceMapURL.split(',', 2)[1] ?? '', 'base64').toString('utf8')) as SourceMapPayload;
    if (!payload.sources.includes(breakpoint.source)) return;
    map = new SourceMap(payload);
    const lines = String((await ask('Debugger.getScriptSource', { scriptId }))['scriptSource']).split('\n').map((text) => Math.max(0, text.search(/\S/)));
    const lineNumber = lines.findIndex((columnNumber, index) => {
      const place = placeOf(map, index, columnNumber);
      return place?.source === breakpoint.source && place.line === breakpoint.line;
    });
    await ask('Debugger.setBreakpointByUrl', { url, lineNumber, columnNumber: lines[lineNumber] });
  }

  await ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await ask('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true });
  await ask('Debugger.enable');
  await ask('Debugger.setInstrumentationBreakpoint', { instrumentation: 'beforeScriptWithSourceMapExecution' });
  await ask('Runtime.runIfWaitingForDebugger');
  return {
    nextStop: async () => (await stops.next()).value?.[0] ?? Promise.reject(new Error('No stop.')),
    evaluate: async ({ frame }, expression) => ((await ask('Debugger.evaluateOnCallFrame', { callFrameId: frame, expression, returnByValue: true }))['result'] as { value: unknown }).value,
    pause: async () => { await ask('Debugger.pause'); },
    goOn: async () => { await ask('Debugger.resume'); },
    detach: async () => {
      await ask('Debugger.disable');
      socket.close(); // an inspected process waits at its end until nobody looks
    },
    close: () => { socket.close(); },
  };
}

/** Lines and columns of the protocol count from 0. */
function placeOf(map: SourceMap | undefined, line: number, column: number): Place | null {
  const entry = map?.findEntry(line, column);
  return entry !== undefined && 'originalSource' in entry ? { source: entry.originalSource, line: entry.originalLine + 1 } : null;
}
