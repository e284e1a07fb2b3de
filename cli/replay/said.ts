/** Where the code has a value from: the earlier event whose content says it. Of that event and the one that differs, one was changed. */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { textsOf, type HistoryEvent } from './item.ts';
import { localOf } from './kept.ts';
import { leafValues, type Difference } from './leaves.ts';

/** A half-sentence, or null where the value is too common to tell (shorter than three characters, true, false), or no event says it alone. */
export function saidBefore(history: History, before: number, { expected, found }: Difference): string | null {
  if (expected.length < 3 || /^(true|false|null|nothing)$/.test(expected)) return null;
  const events = history.events ?? [];
  const origin = events.slice(0, before - 1).findLast((event) => {
    const values = leafValues(contentOf(event, events)?.text ?? '');
    return values.includes(expected) && !values.includes(found);
  });
  const content = origin === undefined ? null : contentOf(origin, events);
  return content === null ? null : `${expected.length > 40 ? 'the expected value' : expected} is from event ${String(origin?.eventId)}, ${content.what}: one of the two was changed`;
}

/** What came into the workflow with an event. */
function contentOf(event: HistoryEvent, events: readonly HistoryEvent[]): { readonly what: string; readonly text: string } | null {
  const { activityTaskCompletedEventAttributes: done, workflowExecutionStartedEventAttributes: started, workflowExecutionSignaledEventAttributes: signal, workflowExecutionUpdateAcceptedEventAttributes: update, childWorkflowExecutionCompletedEventAttributes: child } = event;
  if (done) return { what: `the result of ${events[Number(done.scheduledEventId) - 1]?.activityTaskScheduledEventAttributes?.activityType?.name ?? 'an activity'}`, text: textsOf(done.result?.payloads) };
  const local = localOf(event);
  if (local !== null) return { what: `the result of ${local.type}`, text: local.result ?? '' };
  if (started) return { what: 'the input of the workflow', text: textsOf(started.input?.payloads) };
  if (signal) return { what: `the signal ${signal.signalName ?? ''}`, text: textsOf(signal.input?.payloads) };
  if (update) return { what: `the update ${update.acceptedRequest?.input?.name ?? ''}`, text: textsOf(update.acceptedRequest?.input?.args?.payloads) };
  return child ? { what: `the result of the child ${child.workflowExecution?.workflowId ?? ''}`, text: textsOf(child.result?.payloads) } : null;
}
