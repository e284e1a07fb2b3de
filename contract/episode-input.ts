/** What starts an episode: one JSON argument in which every field has a default, so that `{}` is an episode too. */
import { z } from 'zod';
import { Guard } from './guard.ts';
import { ReplanKind } from './replanned.ts';

/** How the decision comes: simulated by a rule after a delay, or by a person. `delayMs` 0 decides at once, without a timer. */
export const ApprovalPlan = z.strictObject({
  mode: z.enum(['auto', 'manual']).default('auto'),
  delayMs: z.int().min(0).max(86_400_000).default(0),
  rule: z.enum(['approve', 'reject']).default('approve'),
  /** Who the simulated approver is; like a person's, the name must be on the policy's list. */
  approver: z.string().min(1).max(200).default('auto'),
  /** When people are reminded of what still waits for them, in milliseconds after the request; 0: never. Left out: see remindAfterMs below. */
  remindAfterMs: z.int().min(0).max(30 * 86_400_000).optional(),
});
export type ApprovalPlan = z.output<typeof ApprovalPlan>;

/** The longest approval window, in milliseconds: 30 days. */
const maxWindowMs = 30 * 86_400_000;

/** Whose commit is repeated, and from which point on: just before it was evaluated. */
const ForkOf = z.strictObject({ episodeId: z.string().min(1).max(1000), at: z.literal('commit').default('commit') });

/** An episode's input. The episode's id is its workflow's id, and is therefore not in it: a copied input cannot strike another episode. */
export const EpisodeInput = z.strictObject({
  batchId: z.string().min(1).max(150).default('single'),
  /** `template/instance/condition`. */
  caseId: z.string().min(1).max(150).default('change-delivery-address/0/clean'),
  /** A model that the server has, or `always-act`: the template's own action, without a server. */
  model: z.string().min(1).max(100).default('smollm2-135m'),
  seed: z.int().min(0).max(2 ** 31 - 1).default(1),
  guard: Guard.prefault({ kind: 'predicate' }),
  approval: ApprovalPlan.prefault({}),
  /** How long after the request a decision can still be used, in milliseconds. Silence beyond it is an expiry, never consent. */
  windowMs: z.int().min(1).max(maxWindowMs).default(900_000),
  /** How often a blocked proposal may be made anew. */
  replans: z.int().min(0).max(5).default(1),
  /**
   * What goes back to the proposer. `guardBlock`: why a guard refused, as often as `replans` says, and nothing else. Evidence: once besides that, before anything
   * is held or committed. It is bought after the first answer, whatever that was, and after the transactions that would race the first commit; then the first
   * step is given up, and the answer to the evidence is the second. It is none of the `replans`.
   */
  returns: ReplanKind.default('guardBlock'),
  /** Whether the case's live faults strike (a cut line at COMMIT, a lost completion). */
  faults: z.boolean().default(true),
  /** Whether the judge scores the episode when it ends. That costs several times what the episode costs: off where only the effect is wanted. */
  score: z.boolean().default(true),
  /**
   * Repeats the commit of an episode that has ended, in a world of its own, under this input's guard: the proposal, the case and all that others wrote before that commit are
   * the recorded ones, and take the place of what this input says of case, model, seed, window and replans. Nobody is asked, and no fault strikes the line.
   */
  fork: ForkOf.optional(),
});
export type EpisodeInput = z.output<typeof EpisodeInput>;

/** The shortest window in which people are reminded unasked, in milliseconds. */
const longWindowMs = 600_000;

/** When people are reminded, in milliseconds after the request: as the input says, else at half of a window of 10 minutes or more. 0: never, which is so where nobody is waited for. */
export function remindAfterMs({ approval, windowMs }: Pick<EpisodeInput, 'approval' | 'windowMs'>): number {
  const afterMs = approval.remindAfterMs ?? (windowMs >= longWindowMs ? Math.floor(windowMs / 2) : 0);
  return approval.mode === 'manual' && afterMs < windowMs ? afterMs : 0;
}

/** As given, before the defaults. */
export type EpisodeInputGiven = z.input<typeof EpisodeInput>;
