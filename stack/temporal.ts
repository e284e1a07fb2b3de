/** The Temporal part: an address from the environment, else a server of ours, found running or started. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { searchAttributes } from '../contract/search-attributes.ts';
import { withLock } from './files.ts';
import { defaultStateDir, filled, logFile } from './paths.ts';
import { accepts, freePort, isFree, loopback } from './ports.ts';
import { startServer, type ServerSpec, type Started } from './process.ts';
import { lockOf, readRecord, readRunning, stopSpecs, writeRecord, type ServerRecord } from './record.ts';
import { getTemporal } from './temporal-binary.ts';
import { temporalArgs } from './temporal-flags.ts';
import { askVersion, readyNamespace } from './temporal-probe.ts';
import { StackError, type Binary, type StackOptions, type TemporalPart } from './types.ts';

const startTimeoutMs = 30_000;
const probeTimeoutMs = 20_000;

/** Finds or starts Temporal, with the search attributes usable. @throws StackError */
export async function startTemporal(options: StackOptions): Promise<Started<TemporalPart>> {
  const address = filled(process.env['TEMPORAL_ADDRESS']);
  const namespace = filled(process.env['TEMPORAL_NAMESPACE']) ?? 'default';
  if (address !== undefined) return { part: await given(address, namespace, options) };
  const { stateDir, signal } = options;
  const onWait = (): void => { options.say({ part: 'temporal', text: 'waiting for another process that is starting it' }); };
  const started = await withLock(lockOf(stateDir, 'temporal'), { signal, onWait }, async (): Promise<Started<TemporalPart>> => {
    const running = await readRunning(stateDir, 'temporal');
    return running === undefined ? launch(options, namespace) : { part: await reuse(running, namespace) };
  });
  try {
    await readyNamespace(started.part, searchAttributes, probeTimeoutMs);
  } catch (error) {
    await started.server?.stop();
    throw error;
  }
  options.say({ part: 'temporal', text: `${started.part.startedByUs ? 'started' : 'already running'} at ${started.part.address} (server ${started.part.version}, from ${started.part.from})` });
  return started;
}

async function given(address: string, namespace: string, options: StackOptions): Promise<TemporalPart> {
  const version = (await mayAnswer(address)) ? await askVersion(address, 5_000).catch(() => undefined) : undefined;
  if (version === undefined)
    throw new StackError(`TEMPORAL_ADDRESS is ${address}, but no Temporal server answers there: start it, correct the address, or unset TEMPORAL_ADDRESS to have one started here.`);
  await readyNamespace({ address, namespace }, searchAttributes, probeTimeoutMs);
  options.say({ part: 'temporal', text: `using the server at ${address} (server ${version}, from TEMPORAL_ADDRESS)` });
  const uiUrl = filled(process.env['TEMPORAL_UI_URL']);
  return { address, namespace, version, from: 'TEMPORAL_ADDRESS', startedByUs: false, ...(uiUrl !== undefined && { uiUrl }) };
}

/** False where a refused connection tells at once what the client would only find out after its time-out. */
async function mayAnswer(address: string): Promise<boolean> {
  const [, host, port] = /^([\w.-]+):(\d+)$/.exec(address) ?? [];
  return host === undefined || accepts(host, Number(port), 5_000);
}

async function reuse(record: ServerRecord, namespace: string): Promise<TemporalPart> {
  const version = await askVersion(addressOf(record.port), startTimeoutMs);
  return describe({ ...record, version }, namespace, false);
}

async function launch(options: StackOptions, namespace: string): Promise<Started<TemporalPart>> {
  const binary = await getTemporal(options.say, options.signal);
  for (let attempt = 1; ; attempt += 1) {
    const { port, uiPort } = await choosePorts(options.stateDir);
    try {
      const server = await startServer(await specOf(options, binary, { port, uiPort, namespace }), options.signal);
      const version = await askVersion(addressOf(port), 5_000).catch(() => binary.version);
      const record = { ...server.mark(), port, uiPort, from: binary.from, version };
      await writeRecord(options.stateDir, 'temporal', record);
      return { part: describe(record, namespace, true), server };
    } catch (error) {
      // Between choosing a port and using it another process may have taken it.
      const taken = !(await isFree(port)) || !(await isFree(uiPort));
      if (!taken || attempt === 3) throw error;
    }
  }
}

async function specOf(options: StackOptions, binary: Binary, at: { port: number; uiPort: number; namespace: string }): Promise<ServerSpec> {
  const { stateDir } = options;
  const dir = join(stateDir, 'temporal');
  await mkdir(dir, { recursive: true });
  const inMemory = options.temporalDb === 'memory';
  return {
    ...stopSpecs.temporal,
    name: 'The Temporal server', command: binary.path, cwd: dir, logFile: logFile(stateDir, 'temporal'),
    args: temporalArgs({ ...at, attributes: searchAttributes, ...(!inMemory && { dbFile: join(dir, 'temporal.db') }) }),
    // A rarer garbage collection buys 5 to 10 % of throughput for half a gigabyte.
    env: { GOGC: '400', ...process.env },
    answers: async () => (await accepts(loopback, at.port, 500)) && askVersion(addressOf(at.port), 2_000).then(() => true, () => false),
    onLaunched: (mark) => writeRecord(stateDir, 'temporal', { ...mark, port: at.port, uiPort: at.uiPort, from: binary.from, version: binary.version }),
    startTimeoutMs, retryMs: 0,
  };
}

async function choosePorts(stateDir: string): Promise<{ port: number; uiPort: number }> {
  const before = await readRecord(stateDir, 'temporal');
  const usual = stateDir === defaultStateDir() ? [7233, 8233] : [];
  const port = await freePort([before?.port, usual[0]].filter((wanted) => wanted !== undefined));
  const uiPort = await freePort([before?.uiPort, usual[1]].filter((wanted) => wanted !== undefined), [port]);
  return { port, uiPort };
}

function describe(record: ServerRecord, namespace: string, startedByUs: boolean): TemporalPart {
  const ui = record.uiPort === undefined ? {} : { uiUrl: `http://${loopback}:${String(record.uiPort)}` };
  return { address: addressOf(record.port), namespace, version: record.version, from: record.from, startedByUs, ...ui };
}

const addressOf = (port: number): string => `${loopback}:${String(port)}`;
