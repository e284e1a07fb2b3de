/** What a check of a history found: a place, and a sentence for people. */
import { printable } from '../output.ts';
import { firstDifference } from './leaves.ts';

/** `event`: its number in the history. `expected`: what today's code, or another event, says; `found`: what this event says. All of it printable. */
export type Finding = { readonly event: number; readonly expected: string; readonly found: string; readonly sentence: string };

/** A finding whose sentence says where, what, what was expected, and what is there. */
export function finding(event: number, about: string, values: { readonly expected: string; readonly found: string; readonly because?: string }): Finding {
  const [expected, found] = [printable(values.expected, longest), printable(values.found, longest)];
  return { event, expected, found, sentence: `event ${String(event)}: ${printable(about)}: expected ${expected}, found ${found}${values.because === undefined ? '' : ` (${values.because})`}` };
}

/** A finding where the second of two values is not the first. */
export function unequal(event: number, about: string, [expected, found]: readonly [unknown, unknown]): Finding[] {
  const difference = firstDifference(JSON.stringify(expected ?? null), JSON.stringify(found ?? null));
  return difference === null ? [] : [finding(event, [about, difference.path].filter((part) => part !== '').join('.'), { ...difference, because: 'as the rest of the history says' })];
}

const longest = 300;
