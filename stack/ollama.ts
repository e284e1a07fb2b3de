/** The Ollama part. */
import { StackError, type OllamaPart, type StackOptions } from './types.ts';
import type { Started } from './temporal.ts';

export function startOllama(options: StackOptions): Promise<Started<OllamaPart>> {
  return Promise.reject(new StackError(`Ollama cannot be started in ${options.stateDir} yet.`));
}
