/** Holds what a history keeps against what today's code sends, thing by thing and field by field. */
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { finding, type Finding } from './finding.ts';
import type { Item, KeptItem } from './item.ts';
import { keptItems } from './kept.ts';
import { firstDifference } from './leaves.ts';
import { saidBefore } from './said.ts';
import type { Sent } from './sent.ts';

/** The differences in the order of events, as far as the replay came. */
export function differences(history: History, sent: Sent): Finding[] {
  const open = new Map<string, Item[]>();
  for (const item of sent.items) open.set(item.key, [...(open.get(item.key) ?? []), item]);
  const found: Finding[] = [];
  const all = keptItems(history);
  for (const kept of all) {
    if (kept.task > sent.last()) break;
    const made = open.get(kept.key)?.shift();
    found.push(...(made === undefined ? [unsent(kept, sent)] : fieldsThatDiffer(history, kept, made)));
  }
  const left = [...open.values()].flat().filter((item) => mustBeKept(item, sent) || isTimerOf(item, all));
  return [...found, ...left.flatMap((item) => unkept(history, item))].sort((a, b) => a.event - b.event);
}

function fieldsThatDiffer(history: History, kept: KeptItem, made: Item): Finding[] {
  return Object.entries(made.fields).flatMap(([name, expected]) => {
    const there = kept.fields[name] ?? 'nothing';
    const difference = expected === there ? null : firstDifference(expected, there);
    if (difference === null) return [];
    const source = saidBefore(history, kept.event, difference);
    const about = `${name === 'type' ? made.what : kept.what}, ${[name, difference.path].filter((part) => part !== '').join('.')}`;
    return [finding(kept.event, about, { ...difference, ...(source !== null && { because: source }) })];
  });
}

/** Where a replay stops without a difference: the code still waits for something whose end is in no event, and the history goes on without it. */
export function unanswered(history: History, sent: Sent): Finding[] {
  const next = keptItems(history).find((kept) => kept.task > sent.last());
  if (next === undefined) return [];
  const ended = new Set((history.events ?? []).flatMap((event) => Number(event.activityTaskCompletedEventAttributes?.scheduledEventId ?? event.timerFiredEventAttributes?.startedEventId ?? 0)));
  const takenBack = new Set(sent.items.map((item) => item.key));
  const waits = keptItems(history).filter((kept) => kept.task <= sent.last() && /^(activity|timer) /.test(kept.key) && !ended.has(kept.event) && !takenBack.has(`cancellation of ${kept.key}`));
  return [finding(next.event, "what today's code does", { expected: waits.length === 0 ? 'nothing of the kind' : `waiting for ${waits.map((kept) => `${kept.what} of event ${String(kept.event)}`).join(', ')}, whose end is in no event`, found: next.what })];
}

/** Something is kept that is not sent: what is sent instead, at the same task, is what was expected. */
function unsent(kept: KeptItem, sent: Sent): Finding {
  const instead = sent.items.filter((item) => item.task === kept.task).map((item) => item.what);
  return finding(kept.event, "what today's code sends", { expected: instead.length === 0 ? 'nothing' : `only ${instead.join(', ')}`, found: kept.what });
}

/** What is taken back within one task leaves no event. */
function mustBeKept(item: Item, { items }: Sent): boolean {
  if (/^(activity|local activity|child|search attributes|update|answer|end)\b/.test(item.key)) return !items.some((other) => other.key === `cancellation of ${item.key}`);
  return item.key.startsWith('timer ') && !items.some((other) => other.key === `cancellation of ${item.key}` || (other.key === 'end' && other.task === item.task));
}

/** The cancellation of a timer that had been set in an earlier task. */
function isTimerOf({ key, task }: Item, all: readonly KeptItem[]): boolean {
  return key.startsWith('cancellation of timer ') && all.some((kept) => `cancellation of ${kept.key}` === key && kept.task < task);
}

/** Something is sent that is not kept. A task that is not over yet, or whose local activity still runs, has kept nothing so far. */
function unkept(history: History, item: Item): Finding[] {
  const events = history.events ?? [];
  const over = events.findIndex((event) => Number(event.workflowTaskCompletedEventAttributes?.startedEventId ?? -1) >= item.task);
  if (over < 0) return [];
  const next = events[over + 1];
  return [finding(over + 1, 'what the history keeps of this workflow task', { expected: item.what, found: next === undefined ? 'the end of the file: it was cut off here' : 'no trace of it' })];
}
