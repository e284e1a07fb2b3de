/** The servers of an evaluation. */
import { defaultStateDir, startStack } from '../../stack/stack.ts';
import { say } from '../output.ts';

/** Who may end it, whether it says what it starts, and the models that will be asked: none, no model server. */
export type Wanted = { readonly signal: AbortSignal; readonly isQuiet: boolean; readonly models: readonly string[] };
/** An owner's connection to Postgres, and the model server's address. */
export type Servers = { readonly serverUrl: string; readonly ollamaHost?: string };

/** The servers that are there (DATABASE_URL, OLLAMA_HOST, or what `start` left running), or those that are started for this and stopped again; a model server where models are wanted. */
export async function onServers<T>({ signal, isQuiet, models }: Wanted, use: (servers: Servers) => Promise<T>): Promise<T> {
  const asks = models.length > 0;
  const stack = await startStack({
    parts: asks ? ['postgres', 'ollama'] : ['postgres'], ...(asks && { models }), stateDir: defaultStateDir(), signal, say: (line) => { if (!isQuiet) say(`${line.part}: ${line.text}`); },
  });
  try {
    if (stack.postgres === undefined) throw new TypeError('The stack has no Postgres.');
    return await use({ serverUrl: stack.postgres.url, ...(stack.ollama !== undefined && { ollamaHost: stack.ollama.host }) });
  } finally {
    await stack.stop();
  }
}
