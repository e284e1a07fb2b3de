/** A history's facts held against the tables': where they differ, one of the two was altered after the end. */
import type { EpisodeFacts } from '../../contract/episode-facts.ts';
import type { Known } from '../../explain/explain.ts';
import { printable } from '../output.ts';

/** Most differences that are told one by one. */
const most = 5;

/** One sentence a difference, with the number of the event that holds the facts. */
export function contradictionsOf(history: { readonly event: string; readonly facts: Known }, tables: EpisodeFacts): readonly string[] {
  const found = differences(history.facts, tables, '').map(({ at, one, other }) => `Event ${history.event}: the history's facts have ${printable(at)} ${shown(one)}, the database has ${shown(other)}.`);
  return found.length <= most ? found : [...found.slice(0, most), `And ${String(found.length - most)} more differences between event ${history.event} and the database.`];
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : printable(JSON.stringify(value), 120));

type Difference = { readonly at: string; readonly one: unknown; readonly other: unknown };

function differences(one: unknown, other: unknown, at: string): Difference[] {
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ at, one, other }];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], at === '' ? key : `${at}.${key}`));
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
