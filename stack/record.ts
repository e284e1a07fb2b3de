/** What the state folder remembers of a running server, so that a later start finds it and uses it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, writeJson } from './files.ts';
import { lives, stopProcess, type ProcessMark, type StopSpec } from './process.ts';
import type { Part } from './types.ts';

/** A server of ours. Ports stay remembered after it ended, so that addresses stay the same. */
export type ServerRecord = ProcessMark & { readonly port: number; readonly uiPort?: number; readonly from: string; readonly version: string };

/** How each server is asked to end, and how long it may take. Postgres's SIGINT is its fast shutdown; Ollama's SIGTERM also ends its runners. */
export const stopSpecs: Readonly<Record<Part, StopSpec>> = {
  temporal: { stopSignal: 'SIGTERM', stopTimeoutMs: 5_000 },
  postgres: { stopSignal: 'SIGINT', stopTimeoutMs: 15_000 },
  ollama: { stopSignal: 'SIGTERM', stopTimeoutMs: 5_000 },
};

const pathOf = (stateDir: string, part: Part): string => join(stateDir, `${part}.json`);

/** The lock that is held while a part is started. */
export const lockOf = (stateDir: string, part: Part): string => join(stateDir, 'locks', part);

export async function writeRecord(stateDir: string, part: Part, record: ServerRecord): Promise<void> {
  await writeJson(pathOf(stateDir, part), record);
}

/** The last record of the part, whether or not its server still runs. */
export async function readRecord(stateDir: string, part: Part): Promise<ServerRecord | undefined> {
  const found = await readJson(pathOf(stateDir, part));
  return isRecord(found) ? found : undefined;
}

/** The record of the part's server if it runs. */
export async function readRunning(stateDir: string, part: Part): Promise<ServerRecord | undefined> {
  const record = await readRecord(stateDir, part);
  return record !== undefined && (await lives(record)) ? record : undefined;
}

/** Stops every recorded server of the state folder that runs, whoever started it. Returns the parts it stopped. */
export async function stopRecorded(stateDir: string): Promise<Part[]> {
  const parts: readonly Part[] = ['temporal', 'ollama', 'postgres'];
  const stopped = await Promise.all(parts.map(async (part) => {
    const record = await readRunning(stateDir, part);
    if (record === undefined) return [];
    await stopProcess(record, stopSpecs[part]);
    return [part];
  }));
  return stopped.flat();
}

/** Deletes the state folder and what belongs to it elsewhere. Stop its servers first. */
export async function removeState(stateDir: string, postgres: string): Promise<void> {
  await Promise.all([stateDir, postgres].map((dir) => rm(dir, { recursive: true, force: true })));
}

function isRecord(value: unknown): value is ServerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, identity, port, from, version } = value as Partial<Record<keyof ServerRecord, unknown>>;
  return typeof pid === 'number' && typeof identity === 'string' && typeof port === 'number' && typeof from === 'string' && typeof version === 'string';
}
