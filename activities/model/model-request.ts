/** What is asked of a model, what comes back, and how asking itself fails. */
import { failures, type Reason } from '../../contract/failures.ts';
import type { RawReply } from './parse-reply.ts';
import type { JsonSchema } from './reply-schema.ts';

/** One message of a chat. */
export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/** Options in Ollama's own names, all of them sent with every request, so that no server default decides. */
export type ModelOptions = {
  readonly temperature: number;
  readonly top_p: number;
  readonly num_ctx: number;
  readonly num_predict: number;
  readonly num_thread: number;
  readonly seed: number;
};

/** The decoding of the study (guard-precision, section on models). One thread: ggml's threads spin at barriers, and on a busy machine two are far slower than one. */
export function modelOptions(seed: number, numPredict = 128): ModelOptions {
  return { temperature: 0.6, top_p: 0.9, num_ctx: 4096, num_predict: numPredict, num_thread: 1, seed };
}

/** A question to a model: everything that decides the reply, apart from the model's digest. */
export type Question = { readonly model: string; readonly messages: readonly Message[]; readonly format: JsonSchema; readonly options: ModelOptions };

/** How long it took and how much was read and written. Milliseconds by the server's clock; zero where the server says nothing. */
type Timing = { readonly totalMs: number; readonly loadMs: number; readonly promptTokens: number; readonly replyTokens: number };

/** A raw reply with its timing. */
export type TimedReply = RawReply & { readonly timing: Timing };

/** Which weights and template answer under a name, and which server. */
export type ModelIdentity = { readonly modelDigest: string; readonly serverVersion: string };

/**
 * Asking failed, as opposed to a reply that is wrong. `reason` is of the registry's model kind; `retryable` says whether the same request may succeed later.
 * Temporal retries it: nothing here does.
 */
export class ModelRequestError extends Error {
  override name = 'ModelRequestError';
  readonly reason: Reason;
  readonly retryable: boolean;
  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.retryable = failures[reason].retryable;
  }
}
