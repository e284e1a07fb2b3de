/** One server as a child process: detached, logging to a file, watched until it answers, ended by its number. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf } from './identity.ts';
import { tail } from './run.ts';
import { StackError, type ServerControl } from './types.ts';

export type ServerSpec = {
  /** The server's name in sentences. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Told of every new process, also after a restart, before it answers. */
  readonly onLaunched?: (mark: ProcessMark) => Promise<void>;
  /** True once the server answers. Asked about 40 times a second. */
  readonly answers: () => Promise<boolean>;
  readonly startTimeoutMs: number;
  /** How long an early exit is followed by another try, 0 for never. */
  readonly retryMs: number;
  readonly stopSignal: NodeJS.Signals;
  /** How long the stop signal is given before SIGKILL. */
  readonly stopTimeoutMs: number;
};

/** The number of a process with the mark that tells it from a later one. */
export type ProcessMark = { readonly pid: number; readonly identity: string };

/** How a server is asked to end. */
export type StopSpec = Pick<ServerSpec, 'stopSignal' | 'stopTimeoutMs'>;

export type Server = ServerControl & { mark(): ProcessMark; stop(): Promise<void> };

/** A part that is up: what is told of it and, where this call started it, its server. */
export type Started<T> = { readonly part: T; readonly server?: Server };

const pollMs = 25;

/** Starts the server and resolves when it answers. @throws StackError with its exit code and the end of its log. */
export async function startServer(spec: ServerSpec, signal?: AbortSignal): Promise<Server> {
  let mark = await launchUntilAnswers(spec, signal);
  return {
    get pid() {
      return mark.pid;
    },
    mark: () => mark,
    kill(name) {
      // A killed Ollama would leave its runners behind, with all their memory.
      sendSignal(name === 'SIGKILL' ? -mark.pid : mark.pid, name);
    },
    async restart() {
      await stopProcess(mark, spec);
      mark = await launchUntilAnswers(spec, undefined);
    },
    async stop() {
      await stopProcess(mark, spec);
    },
  };
}

async function launchUntilAnswers(spec: ServerSpec, signal: AbortSignal | undefined): Promise<ProcessMark> {
  const startedMs = Date.now();
  for (;;) {
    const { mark, ended, logFrom } = await launch(spec);
    await spec.onLaunched?.(mark);
    const end = await waitUntilAnswers({ ...spec, startTimeoutMs: spec.startTimeoutMs - (Date.now() - startedMs) }, ended, signal);
    if (end === 'answers') return mark;
    await stopProcess(mark, spec);
    signal?.throwIfAborted();
    if (end !== 'silent' && Date.now() - startedMs < spec.retryMs) {
      await sleep(100);
      continue;
    }
    const why = end === 'silent' ? `did not answer within ${String(spec.startTimeoutMs / 1000)} s` : `ended at once (${end})`;
    throw new StackError(`${spec.name} ${why}; its log ${spec.logFile} ends: ${await logTail(spec.logFile, logFrom)}`);
  }
}

type Launched = {
  readonly mark: ProcessMark;
  /** How it ended; undefined while it runs. */
  readonly ended: () => string | undefined;
  readonly logFrom: number;
};

async function launch(spec: ServerSpec): Promise<Launched> {
  await mkdir(dirname(spec.logFile), { recursive: true });
  const logFrom = await trimLog(spec.logFile);
  const log = openSync(spec.logFile, 'a', 0o600);
  let how: string | undefined;
  try {
    const user = { ...(spec.uid !== undefined && { uid: spec.uid }), ...(spec.gid !== undefined && { gid: spec.gid }) };
    const child = spawn(spec.command, spec.args, { env: spec.env, cwd: spec.cwd, ...user, detached: true, stdio: ['ignore', log, log] });
    child.once('error', (error) => { how = error.message; });
    child.once('exit', (code, name) => { how = code === null ? `signal ${String(name)}` : `exit code ${String(code)}`; });
    child.unref();
    const pid = child.pid ?? 0;
    return { mark: { pid, identity: (await identityOf(pid)) ?? '' }, ended: () => how, logFrom };
  } finally {
    closeSync(log);
  }
}

async function waitUntilAnswers(spec: ServerSpec, ended: () => string | undefined, signal: AbortSignal | undefined): Promise<string> {
  const untilMs = Date.now() + spec.startTimeoutMs;
  for (;;) {
    const answered = await spec.answers();
    const how = ended();
    if (how !== undefined) return how;
    if (answered) return 'answers';
    if (signal?.aborted === true || Date.now() > untilMs) return 'silent';
    await sleep(pollMs);
  }
}

/** Ends the process if it still is the marked one: the signal, then, after the time, SIGKILL to its whole group. Resolves when it is gone. */
export async function stopProcess(mark: ProcessMark, stop: StopSpec): Promise<void> {
  if (mark.pid <= 0 || !(await lives(mark))) return;
  sendSignal(mark.pid, stop.stopSignal);
  const untilMs = Date.now() + stop.stopTimeoutMs;
  let killed = false;
  while (await lives(mark)) {
    if (!killed && Date.now() > untilMs) {
      sendSignal(-mark.pid, 'SIGKILL');
      killed = true;
    }
    await sleep(10);
  }
}

/** True while the marked process runs. */
export async function lives(mark: ProcessMark): Promise<boolean> {
  return mark.identity !== '' && (await identityOf(mark.pid)) === mark.identity;
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  if (pid === 0) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** Moves a long log aside, keeping one old one, and returns the size of the one that goes on. */
async function trimLog(path: string): Promise<number> {
  const sizeBytes = await stat(path).then((file) => file.size, () => 0);
  if (sizeBytes < 20_000_000) return sizeBytes;
  await rename(path, `${path}.old`);
  return 0;
}

async function logTail(path: string, from: number): Promise<string> {
  const text = await readFile(path).then((bytes) => bytes.subarray(from).toString('utf8'), () => '');
  return text.trim() === '' ? '(nothing)' : tail(text, 4);
}
