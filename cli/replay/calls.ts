/** The activities of a history that returned something, with what they were asked. */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { textsOf } from './item.ts';
import { localOf } from './kept.ts';
import type { Sent } from './sent.ts';

/** `event`: where the result is. `input`: null for a local activity of which no replay has told, because no history keeps it. */
export type Call = { readonly event: number; readonly name: string; readonly input: unknown; readonly result: unknown };

/** In the order of their ends. */
export function callsOf(history: History, sent: Sent): Call[] {
  const events = history.events ?? [];
  return events.flatMap((event): Call[] => {
    const done = event.activityTaskCompletedEventAttributes;
    const scheduled = events[Number(done?.scheduledEventId ?? 0) - 1]?.activityTaskScheduledEventAttributes;
    if (done && scheduled) return [{ event: Number(event.eventId), name: scheduled.activityType?.name ?? '', input: parsed(textsOf(scheduled.input?.payloads)), result: parsed(textsOf(done.result?.payloads)) }];
    const local = localOf(event);
    if (local?.result === null || local === null) return [];
    const asked = sent.items.find((item) => item.key === `local activity ${local.id}`)?.asked;
    return [{ event: Number(event.eventId), name: local.type, input: asked === undefined ? null : parsed(asked), result: parsed(local.result) }];
  });
}

/** The first argument of the workflow, or null. */
export function givenInput(history: History): unknown {
  const [first] = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return first ? parsed(textsOf([first])) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text === '' ? null : text;
  }
}
