/** Brings the servers up for `start`, says each step, and makes the engine's database ready. */
import { createDatabase, migrate } from '../../database/migrate.ts';
import type { NamedModel } from '../../analysis/summary.ts';
import { defaultStateDir, startStack, type OllamaPart, type Part, type Stack } from '../../stack/stack.ts';
import { UserError } from '../output.ts';
import { cannedModels } from '../records/plan.ts';
import { databaseName, readSettings, type Settings } from '../runtime/settings.ts';
import { bar, inWords, type Progress } from './progress.ts';

/** What is wanted: models by name, or whatever can be had; and whether workflows run. */
export type Wanted = { readonly models: readonly string[] | undefined; readonly progress: Progress; readonly signal: AbortSignal; readonly withoutTemporal?: boolean };

/** Finds or starts what the models need: Ollama only where one of them is real. */
export async function bringUp({ models, progress, signal, withoutTemporal = false }: Wanted): Promise<Stack> {
  const real = models?.filter((name) => !cannedModels.includes(name));
  const parts: Part[] = [...(withoutTemporal ? [] : ['temporal' as const]), 'postgres', ...(real?.length === 0 ? [] : ['ollama' as const])];
  const startedMs = Date.now();
  let doing = `looking for ${parts.join(', ')}`;
  const tick = (): void => { progress.show(`${doing} … ${inWords(Date.now() - startedMs)}`); };
  const timer = setInterval(tick, 500);
  tick();
  try {
    return await startStack({
      parts, stateDir: defaultStateDir(), signal, ...(real !== undefined && { models: real }),
      say: ({ part, text, fraction }) => {
        doing = `${part}: ${text}${fraction === undefined ? '' : ` ${bar(fraction)}`}`;
        if (fraction === undefined || fraction === 0) progress.say(`${part}: ${text}`);
        tick();
      },
    });
  } finally {
    clearInterval(timer);
    progress.clear();
  }
}

/** Makes the database of a server of ours, or takes the one that DATABASE_URL names, and migrates it. @returns the owner's URL */
export async function readyDatabase(stack: Stack, progress: Progress): Promise<string> {
  const { postgres } = stack;
  if (postgres === undefined) throw new TypeError('The stack has no Postgres.');
  const url = postgres.from === 'DATABASE_URL' ? postgres.url : await createDatabase(postgres.url, databaseName);
  const { applied, functions } = await migrate(url);
  progress.say(`database: ${applied.length + functions.length === 0 ? 'up to date' : `${String(applied.length)} migrations and ${String(functions.length)} commit functions applied`}`);
  return url;
}

/** Where the engine's parts are. */
export function settingsOf(stack: Stack, databaseUrl: string): Settings {
  const { temporal, ollama } = stack;
  const env = { ...process.env, DATABASE_URL: databaseUrl, ...(temporal && { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace }), ...(ollama && { OLLAMA_HOST: ollama.host }) };
  return readSettings(env);
}

/** The models to ask, by digest, in the order they were asked for. @throws UserError where a wanted one, or every one, cannot be had */
export function modelsOf(ollama: OllamaPart | undefined, wanted: readonly string[] | undefined): NamedModel[] {
  const had = ollama?.models ?? [];
  if (wanted === undefined) {
    if (had.length > 0) return had.map(({ name, digest }) => ({ name, digest }));
    throw new UserError(`Ollama has no model and none could be got (${ollama?.unavailable.map(({ name, why }) => `${name}: ${why}`).join('; ') ?? ''}): put one there with \`ollama pull\`, name one by --models, or try --models always-act, which needs none.`);
  }
  return wanted.map((name) => {
    if (cannedModels.includes(name)) return { name, digest: null };
    const found = had.find((model) => model.name === name.replace(/:latest$/, ''));
    if (found === undefined) throw new UserError(`The model ${name} cannot be had: ${ollama?.unavailable.find((model) => model.name === name)?.why ?? 'Ollama does not have it'}.`);
    return { name: found.name, digest: found.digest };
  });
}
