/** The Ollama part: OLLAMA_HOST, else a server of ours, found running or started, with its models in the cache. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from './files.ts';
import { hostUrl } from './models.ts';
import { installModels } from './models-install.ts';
import { ollamaVersion } from './ollama-api.ts';
import { getOllama } from './ollama-binary.ts';
import { cacheDir, filled, logFile } from './paths.ts';
import { freePort, isFree, loopback } from './ports.ts';
import { startServer, type ServerSpec, type Started } from './process.ts';
import { lockOf, readRecord, readRunning, stopSpecs, writeRecord } from './record.ts';
import { StackError, type Binary, type OllamaPart, type StackOptions } from './types.ts';

const startTimeoutMs = 30_000;

type Found = Omit<OllamaPart, 'models' | 'unavailable'>;

/** Finds or starts Ollama and gets the wanted models. @throws StackError where there is no server; a missing model is only listed. */
export async function startOllama(options: StackOptions): Promise<Started<OllamaPart>> {
  const started = await findOrStart(options);
  const { host, version, from, startedByUs } = started.part;
  try {
    options.say({ part: 'ollama', text: `${startedByUs ? 'started' : 'using the server'} at ${host} (${version}, from ${from})` });
    const installed = await installModels(started.part, options);
    options.say({ part: 'ollama', text: `models: ${installed.models.map((model) => model.name).join(', ') || 'none'}` });
    return { ...started, part: { ...started.part, ...installed } };
  } catch (error) {
    await started.server?.stop();
    throw error;
  }
}

async function findOrStart(options: StackOptions): Promise<Started<Found>> {
  const given = filled(process.env['OLLAMA_HOST']);
  if (given !== undefined) return { part: await fromEnvironment(given) };
  const { stateDir, signal } = options;
  const onWait = (): void => { options.say({ part: 'ollama', text: 'waiting for another process that is starting it' }); };
  return withLock(lockOf(stateDir, 'ollama'), { signal, onWait }, async () => {
    const running = await readRunning(stateDir, 'ollama');
    if (running === undefined) return launch(options);
    const host = urlOf(running.port);
    return { part: { host, version: await ollamaVersion(host, startTimeoutMs), from: running.from, startedByUs: false } };
  });
}

async function fromEnvironment(text: string): Promise<Found> {
  const mend = 'start it, correct the address, or unset OLLAMA_HOST to have one started here.';
  let host: string;
  try {
    host = hostUrl(text);
  } catch {
    throw new StackError(`OLLAMA_HOST is not an address like http://host:11434: ${mend}`);
  }
  const version = await ollamaVersion(host, 5_000).catch(() => undefined);
  if (version === undefined) throw new StackError(`OLLAMA_HOST is ${host}, but no Ollama answers there: ${mend}`);
  return { host, version, from: 'OLLAMA_HOST', startedByUs: false };
}

async function launch(options: StackOptions): Promise<Started<Found>> {
  const binary = await getOllama(options.say, options.signal);
  const before = await readRecord(options.stateDir, 'ollama');
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(before === undefined ? [] : [before.port]);
    try {
      const server = await startServer(await specOf(options, binary, port), options.signal);
      const version = await ollamaVersion(urlOf(port), 5_000).catch(() => binary.version);
      return { part: { host: urlOf(port), version, from: binary.from, startedByUs: true }, server };
    } catch (error) {
      // Between choosing the port and using it another process may have taken it.
      if ((await isFree(port)) || attempt === 3) throw error;
    }
  }
}

async function specOf(options: StackOptions, binary: Binary, port: number): Promise<ServerSpec> {
  const home = join(cacheDir(), 'ollama', 'home');
  await mkdir(home, { recursive: true });
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OLLAMA_')));
  return {
    ...stopSpecs.ollama,
    name: 'The Ollama server', command: binary.path, args: ['serve'], cwd: home, logFile: logFile(options.stateDir, 'ollama'),
    env: {
      ...own, HOME: home,
      OLLAMA_HOST: `${loopback}:${String(port)}`,
      OLLAMA_MODELS: join(cacheDir(), 'models'),
      OLLAMA_KEEP_ALIVE: '30m',
      // Two requests at a time are slower than one after the other, and their replies are not reproducible.
      OLLAMA_NUM_PARALLEL: '1',
      // Several servers share the models: none may delete, at its start, what another is just writing.
      OLLAMA_NOPRUNE: '1',
    },
    answers: () => ollamaVersion(urlOf(port), 1_000).then(() => true, () => false),
    onLaunched: (mark) => writeRecord(options.stateDir, 'ollama', { ...mark, port, from: binary.from, version: binary.version }),
    startTimeoutMs, retryMs: 0,
  };
}

const urlOf = (port: number): string => `http://${loopback}:${String(port)}`;
