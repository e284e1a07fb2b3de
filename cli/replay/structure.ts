/** Whether a history's events belong together: one that was taken out, with the others numbered anew, leaves references that lead nowhere. */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { finding, type Finding } from './finding.ts';
import type { HistoryEvent } from './item.ts';

type Referring = Readonly<Record<string, unknown>>;
/** What an attribute of an event must refer to, by the start of the event's name: `activityTaskCompleted` refers to an `activityTaskScheduled`. */
const targets: readonly (readonly [of: RegExp, attribute: string, target: RegExp])[] = [
  [/^workflowTask(Started|Completed|TimedOut|Failed)E/, 'scheduledEventId', /^workflowTaskScheduledE/],
  [/^workflowTask(Completed|Failed)E/, 'startedEventId', /^workflowTaskStartedE/],
  [/^activityTask(Started|Completed|Failed|TimedOut|Canceled|CancelRequested)E/, 'scheduledEventId', /^activityTaskScheduledE/],
  [/^activityTask(Completed|Failed|TimedOut|Canceled)E/, 'startedEventId', /^activityTaskStartedE/],
  [/^timer(Fired|Canceled)E/, 'startedEventId', /^timerStartedE/],
  [/^childWorkflowExecution(Started|Completed|Failed|Canceled|TimedOut|Terminated)E/, 'initiatedEventId', /^startChildWorkflowExecutionInitiatedE/],
  [/^childWorkflowExecution(Completed|Failed|Canceled|TimedOut|Terminated)E/, 'startedEventId', /^childWorkflowExecutionStartedE/],
  [/^workflowExecutionUpdateCompletedE/, 'acceptedEventId', /^workflowExecutionUpdateAcceptedE/],
  [/./, 'workflowTaskCompletedEventId', /^workflowTaskCompletedE/],
];

/** The first event that does not fit, or null. */
export function structureFault(history: History): Finding | null {
  const events = history.events ?? [];
  for (const [index, event] of events.entries()) {
    const fault = dangling(event, events) ?? (index === 0 ? null : outOfTurn(event, events[index - 1]));
    if (fault !== null) return fault;
  }
  return null;
}

function dangling(event: HistoryEvent, events: readonly HistoryEvent[]): Finding | null {
  const name = nameOf(event);
  const attributes = attributesOf(event);
  for (const [of, attribute, target] of targets) {
    const id = Number(attributes[attribute] ?? 0);
    if (!of.test(name) || !(attribute in attributes) || (id === 0 && !needed(name, attribute))) continue;
    const there = id < Number(event.eventId) ? events[id - 1] : undefined;
    if (there !== undefined && target.test(nameOf(there))) continue;
    const expected = readable(target.source.replace(/^\^|E$/g, ''));
    return finding(Number(event.eventId), `${readable(name)} rests on event ${String(id)}, so an event was taken out or altered`, { expected, found: there === undefined ? 'nothing' : readable(nameOf(there)) });
  }
  return null;
}

/** A cancellation of what never started refers to no start; what the server itself ended, to no task. */
function needed(name: string, attribute: string): boolean {
  return attribute !== 'workflowTaskCompletedEventId' && !/Cancel|TimedOut|Failed/.test(name);
}

/** A workflow task is scheduled, started, ended; commands follow its end. Nothing follows the end of the workflow. */
function outOfTurn(event: HistoryEvent, before: HistoryEvent | undefined): Finding | null {
  const [name, last] = [nameOf(event), before === undefined ? '' : nameOf(before)];
  const number = Number(event.eventId);
  if (/^workflowExecution(Completed|Failed|TimedOut|Canceled|Terminated|ContinuedAsNew)E/.test(last)) return finding(number, 'after the end of the workflow', { expected: 'nothing', found: readable(name) });
  if (last.startsWith('workflowTaskStartedE') && !/^workflowTask(Completed|TimedOut|Failed)E|^workflowExecution/.test(name)) return finding(number, 'after the start of a workflow task', { expected: 'its end', found: readable(name) });
  return null;
}

function nameOf(event: HistoryEvent): string {
  return Object.entries(event).find(([key, value]) => key.endsWith('EventAttributes') && value !== null && value !== undefined)?.[0] ?? '';
}

function attributesOf(event: HistoryEvent): Referring {
  return ((event as unknown as Referring)[nameOf(event)] ?? {}) as Referring;
}

function readable(name: string): string {
  return name.replace(/EventAttributes$/, '').replaceAll(/([A-Z])/g, ' $1').toLowerCase();
}
