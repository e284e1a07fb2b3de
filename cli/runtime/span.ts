/** Spans of time as people type them. */
import { UserError } from '../output.ts';

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a span such as `7d` as milliseconds. @throws UserError (exit 2) that names the flag */
export function spanMs(flag: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})(s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined) throw new UserError(`${flag} takes a number with s, m, h or d, such as 7d.`, 2);
  return Number(count) * unitsMs[unit as keyof typeof unitsMs];
}
