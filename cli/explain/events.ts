/** What a history's events hold, as values: activities with their results, local ones from their markers. */
import type { History, Payload } from '@temporalio/common/lib/proto-utils.js';

/** One activity of a history. `event`: where its result is (else where it was asked for). Times are ISO 8601 by Temporal's clock; `input` of a local one is in no history. */
export type Acted = {
  readonly event: string; readonly name: string; readonly input: unknown; readonly result: unknown; readonly attempt: number;
  readonly askedAt: string; readonly startedAt: string | null; readonly endedAt: string | null;
};

type HistoryEvent = NonNullable<History['events']>[number];

/** Every activity in the order in which its result came, those without a result last. */
export function activitiesOf({ events }: History): readonly Acted[] {
  const all = events ?? [];
  const started = new Map(all.flatMap((event) => (event.activityTaskStartedEventAttributes ? [[String(event.activityTaskStartedEventAttributes.scheduledEventId), event] as const] : [])));
  const scheduled = new Map(all.flatMap((event) => (event.activityTaskScheduledEventAttributes ? [[String(event.eventId), event] as const] : [])));
  const done = all.flatMap((event) => local(event) ?? completed(event, scheduled, started));
  const open = [...scheduled].filter(([id]) => !all.some((event) => String(event.activityTaskCompletedEventAttributes?.scheduledEventId ?? '') === id)).map(([id, event]) => acted(event, { event, started: started.get(id), result: undefined, ended: false }));
  return [...done, ...open];
}

function completed(event: HistoryEvent, scheduled: ReadonlyMap<string, HistoryEvent>, started: ReadonlyMap<string, HistoryEvent>): Acted[] {
  const attributes = event.activityTaskCompletedEventAttributes;
  const asked = scheduled.get(String(attributes?.scheduledEventId ?? ''));
  return asked === undefined ? [] : [acted(event, { event: asked, started: started.get(String(attributes?.scheduledEventId)), result: valueOf(attributes?.result?.payloads?.[0]), ended: true })];
}

function acted(at: HistoryEvent, from: { event: HistoryEvent; started: HistoryEvent | undefined; result: unknown; ended: boolean }): Acted {
  const { activityType, input } = from.event.activityTaskScheduledEventAttributes ?? {};
  return {
    event: String(at.eventId), name: activityType?.name ?? '', input: valueOf(input?.payloads?.[0]), result: from.result, attempt: from.started?.activityTaskStartedEventAttributes?.attempt ?? 0,
    askedAt: timeOf(from.event), startedAt: from.started === undefined ? null : timeOf(from.started), endedAt: from.ended ? timeOf(at) : null,
  };
}

function local(event: HistoryEvent): Acted[] | null {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== 'core_local_activity') return null;
  const data = valueOf(marker.details?.['data']?.payloads?.[0]);
  const name = typeof data === 'object' && data !== null && 'activity_type' in data ? String(data.activity_type) : '';
  return [{ event: String(event.eventId), name, input: undefined, result: valueOf(marker.details?.['result']?.payloads?.[0]), attempt: 1, askedAt: timeOf(event), startedAt: null, endedAt: timeOf(event) }];
}

/** A payload's value; undefined where it has none or is in a form that only its owner can read. */
export function valueOf(payload: Payload | null | undefined): unknown {
  if (!payload?.data || Buffer.from(payload.metadata?.['encoding'] ?? []).toString() !== 'json/plain') return undefined;
  try {
    return JSON.parse(Buffer.from(payload.data).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** ISO 8601 with milliseconds; empty where the event has no time. */
export function timeOf({ eventTime }: HistoryEvent): string {
  return !eventTime ? '' : new Date(Number(eventTime.seconds ?? 0) * 1000 + Math.floor((eventTime.nanos ?? 0) / 1e6)).toISOString();
}
