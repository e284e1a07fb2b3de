/** Histories as they were recorded, and ways to alter them: for tests of what a replay finds. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHistory } from '../../cli/replay/read-history.ts';
import { replayHistories, type ReplayResult } from '../../cli/replay/run.ts';

export type Event = Record<string, unknown> & { eventType: string; eventId: string };
export type Recorded = { events: Event[] };
type Payload = { metadata: Record<string, string>; data: string };

/** A golden history, to be altered. */
export async function load(name: string): Promise<Recorded> {
  return JSON.parse(await readFile(new URL(`./histories/${name}.json`, import.meta.url), 'utf8')) as Recorded;
}

/** Replays a history, or the text of a file, the way the command does. */
export async function replay(content: unknown): Promise<ReplayResult> {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-replay-'));
  try {
    const file = join(folder, 'history.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    const [result] = await replayHistories([await readHistory(file)]);
    if (result === undefined) throw new Error('No result.');
    return result;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The event that schedules an activity, or the one that holds its result. */
export function eventOf(history: Recorded, activity: string, which: 'scheduled' | 'completed'): Event {
  const scheduled = history.events.find((event) => (event['activityTaskScheduledEventAttributes'] as { activityType: { name: string } } | undefined)?.activityType.name === activity);
  const event = which === 'scheduled' ? scheduled : history.events.find((one) => (one['activityTaskCompletedEventAttributes'] as { scheduledEventId: string } | undefined)?.scheduledEventId === scheduled?.eventId);
  if (event === undefined) throw new Error(`The history has no ${activity}.`);
  return event;
}

/** Replaces a text in the only payload with that text which the event holds. */
export function rewrite(event: Event, from: string, to: string): void {
  const holder = payloadsIn(event).find(({ data }) => decoded(data).includes(from));
  if (holder === undefined) throw new Error(`Event ${event.eventId} does not say ${from}.`);
  holder.data = Buffer.from(decoded(holder.data).replace(from, to)).toString('base64');
}

/** Takes an event out as somebody would who hides it: the others are numbered anew, and refer to each other by the new numbers. */
export function without({ events }: Recorded, eventId: string): Recorded {
  const gone = Number(eventId);
  const renumber = (key: string, value: unknown): unknown => (/[eE]ventId$/.test(key) && Number(value) > gone ? String(Number(value) - 1) : value);
  return { events: events.filter((event) => event.eventId !== eventId).map((event) => JSON.parse(JSON.stringify(event), renumber) as Event) };
}

const decoded = (data: string): string => Buffer.from(data, 'base64').toString('utf8');

function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('metadata' in value && 'data' in value) return [value as Payload];
  return Object.values(value).flatMap(payloadsIn);
}

/** Payloads as the UI writes them when it decodes. */
export function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  const { metadata, data } = value as { metadata?: { encoding?: string }; data?: string };
  if (metadata?.encoding !== undefined && typeof data === 'string') return JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readable(inner)]));
}
