/** A change to a world as data: what other people and services do to it between a proposal and its commit. */
import { z } from 'zod';
import { Scalar } from './observation.ts';

/** A row to insert: column to value, without the world. */
export const Row = z.record(z.string(), z.union([Scalar, z.array(z.string())]));
export type Row = z.infer<typeof Row>;

/** One row inserted, or one row updated. `table` names carry their schema. */
export const Change = z.union([
  z.strictObject({ insert: z.string(), row: Row }),
  z.strictObject({ update: z.string(), keyColumn: z.string(), key: z.string(), set: z.record(z.string(), Scalar) }),
]);
export type Change = z.infer<typeof Change>;
