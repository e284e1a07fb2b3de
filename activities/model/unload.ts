/** Takes a model out of the server's memory, so that one at a time is resident. */
import { Ollama } from 'ollama';

/** How long the server may take to let a model go, in milliseconds. */
const unloadTimeoutMs = 10_000;

/** Asks the server to let the model go. Best effort: where it does not, the model goes when its keep-alive ends. */
export async function unloadModel(ollamaHost: string, model: string): Promise<void> {
  const ollama = new Ollama({ host: ollamaHost, fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(unloadTimeoutMs) }) });
  await ollama.generate({ model, prompt: '', keep_alive: 0 }).catch(() => undefined);
}
