/** One thing that a workflow asked for, in the same words whether today's code sends it or a history keeps it. */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { canonicalText, type Json } from '../../contract/digest.ts';

/** `key` tells two things of one history apart and is the same on both sides; `task`: the event at which the workflow task had started that sent it. `asked`: what no history keeps, the input of a local activity. */
export type Item = { readonly key: string; readonly what: string; readonly task: number; readonly fields: Readonly<Record<string, string>>; readonly asked?: string };

/** The same, and the number of the event that keeps it. */
export type KeptItem = Item & { readonly event: number };

/** An event of a history. */
export type HistoryEvent = NonNullable<History['events']>[number];

type Bytes = { readonly data?: Uint8Array | null } | null | undefined;
type Wide = number | { readonly low: number; readonly high: number } | null | undefined;
type Span = { readonly seconds?: Wide; readonly nanos?: number | null } | null | undefined;

/** JSON in its canonical form, so that the order of keys is no difference; anything else as it is. */
export function textOf(payload: Bytes): string {
  const raw = Buffer.from(payload?.data ?? []).toString('utf8');
  try {
    return canonicalText(JSON.parse(raw) as Json);
  } catch {
    return raw;
  }
}

/** All payloads of a call. One is shown without brackets. */
export function textsOf(payloads: readonly Bytes[] | null | undefined): string {
  const texts = (payloads ?? []).map(textOf);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`;
}

/** Payloads by name, such as search attributes, which have a layer more on one side than on the other. */
export function namedTexts(given: object | null | undefined): string {
  const named = (given !== null && given !== undefined && 'indexedFields' in given ? given.indexedFields : given) as Record<string, Bytes> | null | undefined;
  return `{${Object.entries(named ?? {}).map(([name, payload]) => `${JSON.stringify(name)}:${textOf(payload)}`).sort().join(',')}}`;
}

/** A duration as the protocol has it, in milliseconds; 0 where none is given, as the server writes it. */
export function msOf(span: Span): number {
  const seconds = span?.seconds ?? 0;
  return (typeof seconds === 'number' ? seconds : seconds.high * 2 ** 32 + (seconds.low >>> 0)) * 1000 + (span?.nanos ?? 0) / 1e6;
}

type Limits = {
  readonly scheduleToCloseTimeout?: Span; readonly scheduleToStartTimeout?: Span; readonly startToCloseTimeout?: Span; readonly heartbeatTimeout?: Span;
  readonly retryPolicy?: { readonly initialInterval?: Span; readonly backoffCoefficient?: number | null; readonly maximumInterval?: Span; readonly maximumAttempts?: number | null } | null;
};

/** How long an activity may take, and how it is tried again. */
export function limitsOf(given: Limits): Record<string, string> {
  const { retryPolicy } = given;
  return {
    scheduleToCloseMs: String(msOf(given.scheduleToCloseTimeout)), scheduleToStartMs: String(msOf(given.scheduleToStartTimeout)),
    startToCloseMs: String(msOf(given.startToCloseTimeout)), heartbeatMs: String(msOf(given.heartbeatTimeout)),
    retry: `{"attempts":${String(retryPolicy?.maximumAttempts ?? 0)},"backoff":${String(retryPolicy?.backoffCoefficient ?? 0)},"fromMs":${String(msOf(retryPolicy?.initialInterval))},"toMs":${String(msOf(retryPolicy?.maximumInterval))}}`,
  };
}

type Failure = { readonly message?: string | null; readonly applicationFailureInfo?: { readonly type?: string | null } | null } | null | undefined;

/** A failure without its stack, which names files of one machine. */
export function failureOf(failure: Failure): string {
  return JSON.stringify({ message: failure?.message ?? '', type: failure?.applicationFailureInfo?.type ?? '' });
}
