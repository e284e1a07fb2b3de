/** What a check of a history found: a place, and a sentence for people. */
import { printable } from '../output.ts';

/** `event`: its number in the history. `expected`: what today's code, or another event, says; `found`: what this event says. All of it printable. */
export type Finding = { readonly event: number; readonly expected: string; readonly found: string; readonly sentence: string };

/** A finding whose sentence says where, what, what was expected, and what is there. */
export function finding(event: number, about: string, values: { readonly expected: string; readonly found: string; readonly because?: string }): Finding {
  const [expected, found] = [printable(values.expected, longest), printable(values.found, longest)];
  return { event, expected, found, sentence: `event ${String(event)}: ${printable(about)}: expected ${expected}, found ${found}${values.because === undefined ? '' : ` (${values.because})`}` };
}

const longest = 300;
