/** The forms that activities' results have, by the activity's name: the code of a replay never looks at most of what they say. */
import { z } from 'zod';
import { BigintText } from '../../contract/observation.ts';
import { CommitOutcome, EpisodeOutcome, ReasonSchema } from '../../contract/outcome.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const Act = z.strictObject({
  kind: z.literal('act'), opKey: z.string(), digest, tool: z.string(), approvers: z.array(z.string()), proposer: z.string(), expiresAt: z.iso.datetime(), summary: z.string().max(600),
  basis: z.string().max(600).optional(), needed: z.int().min(1).optional(), unauthenticated: z.boolean().optional(), proofHashes: z.record(z.string(), digest).optional(), assignedTo: z.string().nullable().optional(),
});
const Proposed = z.discriminatedUnion('kind', [Act, z.strictObject({ kind: z.literal('abstain') }), z.strictObject({ kind: z.literal('failed'), reason: ReasonSchema }), z.strictObject({ kind: z.literal('closed') })]);

/** Results may gain fields with time; those that are here have these forms. */
export const forms: Readonly<Record<string, z.ZodType>> = {
  openEpisode: z.looseObject({ input: z.looseObject({}), racers: z.int().min(0), step: z.int().min(1), ended: EpisodeOutcome.nullable(), committed: BigintText.nullable() }),
  propose: Proposed,
  commit: z.union([...CommitOutcome.options.map((option) => option.extend({ ended: EpisodeOutcome.optional() }))]),
  finishEpisode: z.looseObject({ outcome: EpisodeOutcome, leaked: z.boolean().nullable() }),
  reobserve: z.looseObject({ ledgerId: BigintText.nullable(), told: z.array(ReasonSchema).optional() }),
  admit: z.looseObject({ comment: z.string(), needed: z.int().min(1), approvals: z.array(z.looseObject({ decisionId: z.int().min(1), by: z.string() })) }).nullable(),
  remind: z.boolean(),
  openRollback: z.looseObject({ request: Act, step: z.int().min(1), windowMs: z.int().min(1), remindAfterMs: z.int().min(0) }),
  commitRollback: CommitOutcome,
  closeRollback: z.looseObject({ ledgerId: BigintText.nullable() }),
};
