/** What the right effect makes of a world, exactly: the measure that a finished episode's state is held against. */
import { z } from 'zod';
import { Scalar } from './observation.ts';

/**
 * The exact difference that the right effect makes to a world. Left out on both sides: versions, the world's id, generated ids and `unresolved_operation`.
 * An inserted row names every other column that is not null.
 */
export const ExpectedDiff = z.strictObject({
  updated: z.array(z.strictObject({ table: z.string(), key: z.string(), set: z.record(z.string(), Scalar) }).readonly()).readonly(),
  inserted: z.array(z.strictObject({ table: z.string(), row: z.record(z.string(), Scalar) }).readonly()).readonly(),
});
export type ExpectedDiff = z.infer<typeof ExpectedDiff>;
