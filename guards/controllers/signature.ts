/** The two coarse features that routers look at: an age bucket and a status family (guard-precision, section on evidence routing). */
import { z } from 'zod';
import type { Telemetry } from '../../contract/observation.ts';
import { parameters } from './parameters.ts';

/** `fresh` up to `parameters.freshMs`, `old` beyond. Two buckets: an age says which side it is on, not which fault it comes from. */
export const AgeBucket = z.enum(['fresh', 'old']);
export type AgeBucket = z.infer<typeof AgeBucket>;

/** The canonical vocabulary of previous statuses, and `unknown` for every other word. */
export const StatusFamily = z.enum(['ok', 'stale', 'partial', 'contended', 'dispatched', 'timeout', 'unknown']);
export type StatusFamily = z.infer<typeof StatusFamily>;

/** What a router knows of a read. */
export type Signature = { readonly ageBucket: AgeBucket; readonly status: StatusFamily };

/**
 * The family of a status word: white space around it and case do not matter, everything else does. A word that only resembles one, such as
 * `dispatch-timeout`, is unknown, because a resemblance is no evidence of the mechanism behind it.
 */
export function statusFamilyOf(word: string): StatusFamily {
  return StatusFamily.safeParse(word.trim().toLowerCase()).data ?? 'unknown';
}

/** The signature of a read. */
export function signatureOf(telemetry: Telemetry): Signature {
  return { ageBucket: telemetry.ageMs <= parameters.freshMs.value ? 'fresh' : 'old', status: statusFamilyOf(telemetry.previousStatus) };
}
