/** What starts a batch of episodes: one JSON argument in which every field has a default. */
import { z } from 'zod';
import { Condition } from './case.ts';
import { ApprovalPlan } from './episode-input.ts';
import { Guard } from './guard.ts';
import { ReplanKind } from './replanned.ts';

/** A batch's input: a named design, or its three factors, crossed with models, seeds and guards. */
export const BatchInput = z.strictObject({
  /** Default: the workflow's id. An id that was used before goes on where it was left. */
  batchId: z.string().min(1).max(150).optional(),
  design: z.enum(['pilot', 'smoke']).default('smoke'),
  /** Each of the three takes the place of the design's own factor. */
  templates: z.array(z.string().min(1)).min(1).max(16).optional(),
  instances: z.array(z.int().min(0).max(99)).min(1).max(100).optional(),
  conditions: z.array(Condition).min(1).max(6).optional(),
  models: z.array(z.string().min(1).max(100)).min(1).max(20).default(['smollm2-135m']),
  seeds: z.array(z.int().min(0).max(2 ** 31 - 1)).min(1).max(1000).default([1]),
  guards: z.array(Guard).min(1).max(12).prefault([{ kind: 'none' }, { kind: 'epoch' }, { kind: 'version' }, { kind: 'predicate' }]),
  /** Most episodes at once. */
  window: z.int().min(1).max(200).default(20),
  approval: ApprovalPlan.prefault({}),
  windowMs: z.int().min(1).max(30 * 86_400_000).default(900_000),
  replans: z.int().min(0).max(5).default(1),
  /** As of an episode. */
  returns: ReplanKind.default('guardBlock'),
  faults: z.boolean().default(true),
  score: z.boolean().default(true),
  /** Episodes before the batch continues as new, which bounds its history. */
  pageSize: z.int().min(1).max(200).default(200),
});
export type BatchInput = z.output<typeof BatchInput>;
/** As given, before the defaults. */
export type BatchInputGiven = z.input<typeof BatchInput>;
