/** What the agent saw: rows, versions and epoch of one snapshot, so that they are old together when they are old. */
import { z } from 'zod';

/** An integer of any size as decimal text: versions and epochs are compared in SQL and never pass through a JS number. */
export const BigintText = z.string().regex(/^(0|-?[1-9]\d{0,18})$/);

/** A scalar of a row as it is shown to a model or a person. */
export const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type Scalar = z.infer<typeof Scalar>;

/** A row that a decision depends on and the version it had: one entry of the read set (S-Bus calls it the read set of an agent). */
export const ReadRow = z.strictObject({ table: z.string(), key: z.string(), version: BigintText });
export type ReadRow = z.infer<typeof ReadRow>;

/** The read set, in the lock order of the tool's contract. */
export const ReadSet = z.array(ReadRow).min(1);
export type ReadSet = z.infer<typeof ReadSet>;

/** What observable signals came with a read; never the fault's identity. Both may lie. */
export const Telemetry = z.strictObject({
  /** How old the read says it is, in milliseconds. */
  ageMs: z.int().min(0),
  /** The status word of the previous operation on the entity, as the surrounding system reported it. */
  previousStatus: z.string(),
});
export type Telemetry = z.infer<typeof Telemetry>;

/** One read of the world: shown to the model without world id, versions or epoch. */
export const Observation = z.strictObject({
  worldId: BigintText,
  epoch: BigintText,
  readSet: ReadSet,
  /** The rows of the read set, by the name the tool's contract gives them: column to value, without world and version. */
  rows: z.record(z.string(), z.record(z.string(), Scalar)),
  telemetry: Telemetry,
});
export type Observation = z.infer<typeof Observation>;
