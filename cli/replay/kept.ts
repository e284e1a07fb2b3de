/** What a history keeps of what its workflow had sent, as items. */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { failureOf, limitsOf, msOf, namedTexts, textOf, textsOf, type HistoryEvent, type KeptItem } from './item.ts';

type Bare = Omit<KeptItem, 'task' | 'event'>;

/** The items in the order of their events. What the server or others wrote is none. */
export function keptItems(history: History): KeptItem[] {
  const events = history.events ?? [];
  const kept: KeptItem[] = [];
  let task = 0;
  let upserts = 0;
  for (const event of events) {
    task = Number(event.workflowTaskCompletedEventAttributes?.startedEventId ?? task);
    const upsert = event.upsertWorkflowSearchAttributesEventAttributes;
    // The server's own note of a patch is no command of the code.
    if (upsert && !('TemporalChangeVersion' in (upsert.searchAttributes?.indexedFields ?? {}))) {
      upserts += 1;
      kept.push({ key: `search attributes ${String(upserts)}`, what: 'search attributes', fields: { values: namedTexts(upsert.searchAttributes) }, task, event: Number(event.eventId) });
    }
    const item = askedOf(event) ?? answeredOf(event, events) ?? endOf(event) ?? takenBackOf(event, events);
    if (item !== null) kept.push({ ...item, task, event: Number(event.eventId) });
  }
  return kept;
}

function askedOf(event: HistoryEvent): Bare | null {
  const { activityTaskScheduledEventAttributes: activity, timerStartedEventAttributes: timer, startChildWorkflowExecutionInitiatedEventAttributes: child, markerRecordedEventAttributes: marker } = event;
  if (activity) {
    const type = activity.activityType?.name ?? '';
    return { key: `activity ${activity.activityId ?? ''}`, what: `the activity ${type}`, fields: { type, input: textsOf(activity.input?.payloads), ...limitsOf(activity) } };
  }
  if (timer) return { key: `timer ${timer.timerId ?? ''}`, what: `the timer ${timer.timerId ?? ''}`, fields: { lengthMs: String(msOf(timer.startToFireTimeout)) } };
  if (child) {
    return {
      key: `child ${child.workflowId ?? ''}`, what: `the child ${child.workflowId ?? ''}`,
      fields: { type: child.workflowType?.name ?? '', input: textsOf(child.input?.payloads), parentClosePolicy: String(child.parentClosePolicy ?? 0), reusePolicy: String(child.workflowIdReusePolicy ?? 0), searchAttributes: namedTexts(child.searchAttributes) },
    };
  }
  const local = localOf(event);
  if (local !== null) return { key: `local activity ${local.id}`, what: `the local activity ${local.type}`, fields: { type: local.type } };
  const patch = marker?.markerName === 'core_patch' ? textOf(marker.details?.['patch-data']?.payloads?.[0]) : null;
  return patch === null ? null : { key: `patch ${idOf(patch)}`, what: 'a patch', fields: {} };
}

const idOf = (text: string): string => /"id":"([^"]*)"/.exec(text)?.[1] ?? text;

/** A local activity's mark: which it was and what it returned; null for other events. */
export function localOf({ markerRecordedEventAttributes: marker }: HistoryEvent): { readonly id: string; readonly type: string; readonly result: string | null } | null {
  if (marker?.markerName !== 'core_local_activity') return null;
  const data = textOf(marker.details?.['data']?.payloads?.[0]);
  const result = marker.details?.['result']?.payloads?.[0];
  return { id: /"activity_id":"([^"]*)"/.exec(data)?.[1] ?? '', type: /"activity_type":"([^"]*)"/.exec(data)?.[1] ?? '', result: result ? textOf(result) : null };
}

function answeredOf(event: HistoryEvent, events: readonly HistoryEvent[]): Bare | null {
  const { workflowExecutionUpdateAcceptedEventAttributes: accepted, workflowExecutionUpdateCompletedEventAttributes: completed } = event;
  if (accepted) return { key: `update ${accepted.protocolInstanceId ?? ''}`, what: `the acceptance of the update ${accepted.protocolInstanceId ?? ''}`, fields: {} };
  if (!completed) return null;
  const id = events[Number(completed.acceptedEventId) - 1]?.workflowExecutionUpdateAcceptedEventAttributes?.protocolInstanceId ?? '';
  const success = completed.outcome?.success;
  return success ? { key: `answer ${id}`, what: `the answer to the update ${id}`, fields: { value: textsOf(success.payloads) } } : null;
}

function endOf(event: HistoryEvent): Bare | null {
  const { workflowExecutionCompletedEventAttributes: completed, workflowExecutionFailedEventAttributes: failed, workflowExecutionCanceledEventAttributes: cancelled, workflowExecutionContinuedAsNewEventAttributes: again } = event;
  const end = { key: 'end', what: 'the end of the workflow' };
  if (completed) return { ...end, fields: { as: 'completed', result: textsOf(completed.result?.payloads) } };
  if (failed) return { ...end, fields: { as: 'failed', failure: failureOf(failed.failure) } };
  if (cancelled) return { ...end, fields: { as: 'cancelled' } };
  if (again) return { ...end, fields: { as: 'continued as new', type: again.workflowType?.name ?? '', input: textsOf(again.input?.payloads) } };
  return null;
}

function takenBackOf(event: HistoryEvent, events: readonly HistoryEvent[]): Bare | null {
  const { activityTaskCancelRequestedEventAttributes: activity, timerCanceledEventAttributes: timer, requestCancelExternalWorkflowExecutionInitiatedEventAttributes: child } = event;
  if (activity) {
    const id = events[Number(activity.scheduledEventId) - 1]?.activityTaskScheduledEventAttributes?.activityId ?? '';
    return { key: `cancellation of activity ${id}`, what: `the cancellation of the activity ${id}`, fields: {} };
  }
  if (timer) return { key: `cancellation of timer ${timer.timerId ?? ''}`, what: `the cancellation of the timer ${timer.timerId ?? ''}`, fields: {} };
  const id = child?.workflowExecution?.workflowId;
  return child?.childWorkflowOnly === true ? { key: `cancellation of child ${id ?? ''}`, what: 'the cancellation of a child', fields: {} } : null;
}
