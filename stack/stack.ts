/** Finds or starts the servers that the engine runs on, all at once, and stops what it started. */
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { startOllama } from './ollama.ts';
import { startPostgres } from './postgres.ts';
import type { Server, Started } from './process.ts';
import { startTemporal } from './temporal.ts';
import type { Part, ServerControl, Stack, StackOptions } from './types.ts';

export { cacheDir, defaultStateDir, postgresDir } from './paths.ts';
export { removeState, stopRecorded } from './record.ts';
export { StackError } from './types.ts';
export type { Model, OllamaPart, Part, PostgresPart, ServerControl, Stack, StackLine, StackOptions, TemporalPart, UnavailableModel } from './types.ts';

/**
 * Brings up the asked parts concurrently: an address in the environment must answer, a server recorded in the state folder
 * is used, and else one is started. Where one part fails, those that were started are stopped.
 * @throws StackError with a sentence that says what to do; the signal's reason where it was aborted.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stateDir = resolve(options.stateDir);
  await mkdir(stateDir, { recursive: true });
  const failed = new AbortController();
  const signal = options.signal === undefined ? failed.signal : AbortSignal.any([options.signal, failed.signal]);
  const inner = { ...options, stateDir, signal };
  const servers: Partial<Record<Part, Server>> = {};
  let firstFailure: { error: unknown } | undefined;
  const bringUp = async <T>(part: Part, start: (options: StackOptions) => Promise<Started<T>>): Promise<T | undefined> => {
    if (!options.parts.includes(part)) return undefined;
    try {
      const started = await start(inner);
      if (started.server !== undefined) servers[part] = started.server;
      return started.part;
    } catch (error) {
      firstFailure ??= { error };
      failed.abort(error);
      return undefined;
    }
  };
  const [temporal, postgres, ollama] = await Promise.all([bringUp('temporal', startTemporal), bringUp('postgres', startPostgres), bringUp('ollama', startOllama)]);
  const stop = stopOnce(servers);
  if (firstFailure !== undefined || options.signal?.aborted === true) {
    await stop();
    throw options.signal?.aborted === true ? options.signal.reason : (firstFailure as { error: unknown }).error;
  }
  const processes: Partial<Record<Part, ServerControl>> = servers;
  return { ...(temporal && { temporal }), ...(postgres && { postgres }), ...(ollama && { ollama }), processes, stop };
}

function stopOnce(servers: Partial<Record<Part, Server>>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= Promise.all(Object.values(servers).map((server) => server.stop())).then(() => undefined);
    return stopped;
  };
}
