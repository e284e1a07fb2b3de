/** What went wrong on the way to a model, in the registry's words. */
import { ModelRequestError } from './model-request.ts';

/** The reason for an error that the client threw; a ModelRequestError is passed on as it is. Transient and lasting errors are told apart by status and code. */
export function requestErrorOf(error: unknown, model: string): ModelRequestError {
  if (error instanceof ModelRequestError) return error;
  const said = error instanceof Error ? error.message : String(error);
  const status = numberIn(error, 'status_code');
  const options = { cause: error };
  if (status === 404) return new ModelRequestError('model_missing', `The model server has no model "${model}".`, options);
  if (status === 503 || status === 429) return new ModelRequestError('model_busy', `The model server is busy (${String(status)}).`, options);
  if (status !== undefined && status < 500) return new ModelRequestError('malformed_input', `The model server refused the request (${String(status)}): ${said.slice(0, 200)}`, options);
  if (status !== undefined) return new ModelRequestError('model_error', `The model server failed (${String(status)}): ${said.slice(0, 200)}`, options);
  const codes = codesOf(error);
  if (codes.some((code) => code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT')) return new ModelRequestError('model_timeout', `The model server kept the connection and said nothing.`, options);
  // `fetch failed` and `terminated` are all that fetch says of a refused, reset or closed connection; the client says the second of a stream without an end.
  if (error instanceof TypeError || codes.length > 0 || said.startsWith('Did not receive done')) return new ModelRequestError('model_unreachable', `The connection to the model server failed: ${[said, ...codes].join(', ')}`, options);
  return new ModelRequestError('model_error', `The model server failed: ${said.slice(0, 200)}`, options);
}

function numberIn(error: unknown, key: string): number | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined;
  return typeof value === 'number' ? value : undefined;
}

/** The codes of an error and of its causes, outermost first. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(cause)];
}
