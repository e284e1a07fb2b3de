/** A history's facts held against the tables': where they differ, one of the two was altered after the end. */
import type { EpisodeFacts } from '../../contract/episode-facts.ts';
import type { Known } from '../../explain/explain.ts';
import { printable } from '../output.ts';

/** Most differences that are told one by one. */
const most = 5;

/** One sentence a difference, with the number of the event that holds the facts. */
export function contradictionsOf(history: { readonly event: string; readonly facts: Known }, tables: EpisodeFacts): readonly string[] {
  const found = [...differences(withoutChanges(history.facts), withoutChanges(tables), ''), ...ofChanges(history.facts, tables)]
    .map(({ at, one, other }) => `Event ${history.event}: the history's facts have ${printable(at)} ${shown(one)}, the database has ${shown(other)}.`);
  return found.length <= most ? found : [...found.slice(0, most), `And ${String(found.length - most)} more differences between event ${history.event} and the database.`];
}

function withoutChanges(facts: Known): object {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => name !== 'changes' && name !== 'changesLeftOut'));
}

/**
 * The world goes on after the end of its episode: a rollback, or somebody else, writes to it. What the tables have behind the history's changes contradicts
 * nothing, unless it lies before an epoch that a step found, or is a step's own effect: that the history must have known.
 */
function ofChanges(facts: Known, tables: EpisodeFacts): Difference[] {
  const [kept, all] = [facts.changes.length, tables.changes];
  const altered = differences(facts.changes, all.slice(0, kept), 'changes');
  const { changesLeftOut } = facts;
  if (changesLeftOut !== undefined) {
    const there = all.length + (tables.changesLeftOut ?? 0);
    return there < kept + changesLeftOut ? [...altered, { at: 'changes in number', one: kept + changesLeftOut, other: there }] : altered;
  }
  const known = all.findIndex((change, at) => at >= kept && facts.steps.some(({ opKey, epochFound }) => change.opKey === opKey || (epochFound !== null && BigInt(change.epoch) <= BigInt(epochFound))));
  return known < 0 ? altered : [...altered, { at: `changes.${String(known)}`, one: undefined, other: all[known] }];
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
