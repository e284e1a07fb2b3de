/** Reads a workflow's history from a file: as the UI downloads it (payloads encoded, decoded or readable), as the CLI prints it, or as the SDK writes it. */
import { readFile } from 'node:fs/promises';
import { historyFromJSON, type History } from '@temporalio/common/lib/proto-utils.js';
import { printable, UserError } from '../output.ts';

/** A history and what its first event says. `ended`: whether the run was over when it was taken. */
export type ReadHistory = { readonly file: string; readonly workflowId: string; readonly workflowType: string; readonly events: number; readonly ended: boolean; readonly history: History };

type Json = Readonly<Record<string, unknown>>;

/** @throws UserError with a sentence that names the file and what is wrong with it */
export async function readHistory(file: string): Promise<ReadHistory> {
  const name = printable(file);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UserError(`${name} cannot be read: give the path of a history, downloaded from Temporal's UI or printed by \`temporal workflow show --output json\`.`);
  });
  return described(file, toHistory(name, eventsOf(name, parse(name, text))));
}

/** A history with what its events say of it, under the name that messages give it. @throws UserError where it is not whole */
export function described(file: string, history: History): ReadHistory {
  const name = printable(file);
  const events = history.events ?? [];
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new UserError(`${name} does not begin with the start of a workflow: its beginning is missing.`);
  const gap = events.findIndex((event, index) => Number(event.eventId) !== index + 1);
  if (gap >= 0) throw new UserError(`${name} is not whole: ${gapText(events.map((event) => Number(event.eventId)), gap)}.`);
  const last = events.at(-1);
  const ended = last !== undefined && Object.keys(last).some((key) => /^workflowExecution(Completed|Failed|TimedOut|Canceled|Terminated|ContinuedAsNew)EventAttributes$/.test(key) && last[key as keyof typeof last] !== null);
  return { file, workflowId: started.workflowId ?? 'unknown', workflowType: started.workflowType?.name ?? 'unknown', events: events.length, ended, history };
}

/** What is wrong at the first place that has another number than its own. */
function gapText(ids: readonly number[], at: number): string {
  const wanted = at + 1;
  if (ids.slice(0, at).includes(ids[at] ?? 0)) return `event ${String(ids[at])} stands there twice`;
  return ids.includes(wanted) ? `event ${String(ids[at])} stands in the place of event ${String(wanted)}` : `event ${String(wanted)} is missing`;
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const cut = /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text);
    throw new UserError(cut ? `${name} is cut off: it begins as JSON and stops in the middle. Download it again.` : `${name} is not JSON: give a workflow's history.`);
  }
}

function eventsOf(name: string, parsed: unknown): readonly unknown[] {
  const events = Array.isArray(parsed) ? parsed : isObject(parsed) ? parsed['events'] : undefined;
  if (!Array.isArray(events) || events.length === 0 || !events.every((event) => isObject(event) && 'eventType' in event))
    throw new UserError(`${name} is JSON, but no workflow's history: it has no list of events.`);
  return events;
}

function toHistory(name: string, events: readonly unknown[]): History {
  try {
    return historyFromJSON({ events: events.map((event) => withPayloads(event)) });
  } catch (error) {
    throw new UserError(`${name} is not a history in a form that can be read: ${printable(error instanceof Error ? error.message : String(error))}.`);
  }
}

/** Values where payloads belong, as the UI writes them when it decodes, become payloads again. Payloads stay as they are. */
function withPayloads(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => (key === 'payloads' ? payload(item) : withPayloads(item)));
  if (!isObject(value)) return value;
  const isMap = key === 'indexedFields' || key === 'fields';
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isMap || ((name === 'summary' || name === 'details') && key === 'userMetadata') ? payload(inner) : withPayloads(inner, name)]));
}

function payload(value: unknown): unknown {
  if (isObject(value) && isObject(value['metadata'])) {
    if (typeof value['data'] === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value['data']) && value['metadata']['encoding'] !== 'json/plain') return value;
    return value['data'] === undefined ? value : encoded(value['data']);
  }
  return encoded(value);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function encoded(value: unknown): unknown {
  return { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(value)) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
