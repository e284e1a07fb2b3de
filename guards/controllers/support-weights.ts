/** The learned router's weights: counts by signature, and where they come from. Data, written by the trainer and read by the router. */
import { z } from 'zod';
import { AgeBucket, StatusFamily } from './signature.ts';

const count = z.int().min(0);

/** What became of the decisions of one signature in development, under each of the two actions. */
export const SupportCell = z
  .strictObject({
    ageBucket: AgeBucket,
    status: StatusFamily,
    /** Frozen decisions, each replayed under both actions. */
    n: z.int().min(1),
    unsafeAfterExecute: count,
    unsafeAfterFast: count,
    /** Ended without safe success; unsafe ones are among them. */
    failedAfterExecute: count,
    failedAfterFast: count,
    /** Fast evidence kept the proposal from being committed, rightly or not. */
    blockedAfterFast: count,
  })
  .refine((cell) => Math.max(cell.failedAfterExecute, cell.failedAfterFast, cell.blockedAfterFast) <= cell.n, { error: 'No count is above n.' })
  .refine((cell) => cell.unsafeAfterExecute <= cell.failedAfterExecute && cell.unsafeAfterFast <= cell.failedAfterFast, { error: 'What is unsafe has failed.' });
export type SupportCell = z.infer<typeof SupportCell>;

/** Weights, without a date, so that the same outcomes give the same bytes. */
export const SupportWeights = z.strictObject({
  provenance: z.strictObject({
    /** The design and what the outcomes come from, in words. */
    design: z.string(),
    source: z.string(),
    templates: z.array(z.string()),
    seeds: z.array(z.int()),
    proposers: z.array(z.string()),
    telemetry: z.array(z.enum(['canonical', 'degraded'])),
    decisions: count,
  }),
  /** Sorted by age bucket, then status; each signature once. A signature that is not here is outside development support. */
  cells: z.array(SupportCell),
});
export type SupportWeights = z.infer<typeof SupportWeights>;
