/** Asks a model through Ollama: streamed, with limits of our own, and so that an abort ends the request at the server too. */
import { Ollama, type ChatRequest, type ChatResponse } from 'ollama';
import { requestErrorOf } from './ask-errors.ts';
import { ModelRequestError, type ModelIdentity, type Question, type TimedReply } from './model-request.ts';
import { keepAliveFor } from './residency.ts';

/** Where to ask, until when, and who may cancel. */
export type AskDeps = {
  readonly ollamaHost: string;
  /** Aborting it ends the request at the server; the call then rejects with the signal's own reason. */
  readonly signal: AbortSignal;
  readonly limits?: Partial<AskLimits>;
};

/** Limits, each on our own clock; all stay below the 300 s after which Node's fetch gives up by itself. */
export type AskLimits = {
  /** Until the first piece of the reply: loading a cold model is in it. */
  readonly firstPieceMs: number;
  /** Between two pieces. */
  readonly betweenPiecesMs: number;
  readonly totalMs: number;
  /** The longest reply that is read on. A model in JSON mode may write white space for ever. */
  readonly maxCharacters: number;
};

const defaultLimits: AskLimits = { firstPieceMs: 180_000, betweenPiecesMs: 30_000, totalMs: 280_000, maxCharacters: 16_384 };

/** A run of white space that no sensible reply holds. */
const endlessSpace = /\s{256}$/;

/** The done reason of a reply that we cut: it is none of Ollama's, and not `stop`. */
const cutByUs = 'cut';

/**
 * Asks once. A reply that runs on without end is cut and comes back with the done reason `cut`, so that it counts as truncated.
 * @throws ModelRequestError with its reason; whatever the caller's signal was aborted with
 */
export async function askModel(deps: AskDeps, question: Question): Promise<TimedReply> {
  const limits = { ...defaultLimits, ...deps.limits };
  return limited(deps, { firstMs: limits.firstPieceMs, nextMs: limits.betweenPiecesMs, totalMs: limits.totalMs, model: question.model }, async (ollama, onPiece) => {
    // `think` is off; servers before 0.9 do not know it and pass it over.
    const request = { ...question, stream: true, think: false, keep_alive: keepAliveFor(deps.ollamaHost, question.model) } as unknown as ChatRequest & { stream: true };
    let content = '';
    let thinking = '';
    for await (const piece of await ollama.chat(request)) {
      onPiece();
      content += piece.message.content;
      thinking += piece.message.thinking ?? '';
      if (piece.done) return { content, thinking, doneReason: piece.done_reason, timing: timingOf(piece) };
      if (content.length + thinking.length > limits.maxCharacters || endlessSpace.test(content)) break;
    }
    return { content, thinking, doneReason: cutByUs, timing: { totalMs: 0, loadMs: 0, promptTokens: 0, replyTokens: 0 } };
  });
}

/** Which weights the server has under this name. @throws ModelRequestError `model_missing` where it has none, and as askModel */
export async function identifyModel(deps: AskDeps, model: string): Promise<ModelIdentity> {
  const plain = (name: string): string => name.replace(/:latest$/, '');
  return limited(deps, { firstMs: 10_000, nextMs: 10_000, totalMs: 10_000, model }, async (ollama) => {
    const [{ models }, { version }] = await Promise.all([ollama.list(), ollama.version()]);
    const found = models.find((one) => plain(one.name) === plain(model));
    if (found === undefined) throw new ModelRequestError('model_missing', `The model server has no model "${model}".`);
    return { modelDigest: found.digest, serverVersion: version };
  });
}

type Clock = { readonly firstMs: number; readonly nextMs: number; readonly totalMs: number; readonly model: string };

/**
 * Runs requests under a signal that the caller, the total limit or a silence aborts. The npm client's own `abort` does not end a request that has no answer
 * yet, so the signal is handed to every fetch. Whatever happens, the request is over afterwards.
 */
async function limited<T>(deps: AskDeps, clock: Clock, use: (ollama: Ollama, onPiece: () => void) => Promise<T>): Promise<T> {
  deps.signal.throwIfAborted();
  const own = new AbortController();
  const late = (what: string): void => { own.abort(new ModelRequestError('model_timeout', `The model "${clock.model}" ${what}.`)); };
  const cancel = (): void => { own.abort(deps.signal.reason); };
  deps.signal.addEventListener('abort', cancel, { once: true });
  const total = setTimeout(() => { late(`took longer than ${String(clock.totalMs)} ms`); }, clock.totalMs);
  let silence = setTimeout(() => { late(`said nothing for ${String(clock.firstMs)} ms`); }, clock.firstMs);
  const onPiece = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => { late(`fell silent for ${String(clock.nextMs)} ms`); }, clock.nextMs);
  };
  const ollama = new Ollama({
    host: deps.ollamaHost,
    fetch: (url, init) => fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, own.signal]) : own.signal }),
  });
  try {
    return await use(ollama, onPiece);
  } catch (error) {
    if (own.signal.aborted) throw own.signal.reason;
    throw requestErrorOf(error, clock.model);
  } finally {
    clearTimeout(total);
    clearTimeout(silence);
    deps.signal.removeEventListener('abort', cancel);
    own.abort();
  }
}

function timingOf(last: ChatResponse): TimedReply['timing'] {
  const ms = (nanoseconds: number | undefined): number => Math.round((nanoseconds ?? 0) / 1e6);
  // A prompt that the server had in its cache is not counted again.
  return { totalMs: ms(last.total_duration), loadMs: ms(last.load_duration), promptTokens: last.prompt_eval_count, replyTokens: last.eval_count };
}
