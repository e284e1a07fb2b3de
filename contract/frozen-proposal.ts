/** A proposer's frozen answer to a case under a seed, as it is kept for evaluations. Lines of `proposals.jsonl`. */
import { z } from 'zod';
import { Arguments } from './proposal.ts';
import { ReasonSchema } from './outcome.ts';

const key = {
  /** `template/instance/condition`. */
  caseId: z.string().min(1).max(150),
  /** A model's name, or that of a canned proposer such as `always-act`. */
  proposer: z.string().min(1).max(100),
  /** The digest of the model that answered; null for a canned proposer. */
  digest: z.string().min(1).nullable(),
  seed: z.int().min(0).max(2 ** 31 - 1),
  /** 0 to 1, or null where the proposer said none. */
  confidence: z.number().min(0).max(1).nullable(),
  /** Share of repeated decodings that propose the same, 0 to 1, or null where decoding was not repeated. */
  agreement: z.number().min(0).max(1).nullable(),
  /** There where the prompt had the study's caution: such answers have a proposer of their own, the model's name with `+caution` behind it. */
  caution: z.literal(true).optional(),
};

/** One answer: the action as it was validated, an abstention, or why there is neither. */
export const FrozenProposal = z.discriminatedUnion('answer', [
  z.strictObject({ ...key, answer: z.literal('act'), tool: z.string().min(1), arguments: Arguments }),
  z.strictObject({ ...key, answer: z.literal('abstain') }),
  z.strictObject({ ...key, answer: z.literal('failed'), reason: ReasonSchema }),
]);
export type FrozenProposal = z.infer<typeof FrozenProposal>;

/** What names a frozen proposal among those of a file. */
export function frozenKey(proposal: Pick<FrozenProposal, 'caseId' | 'proposer' | 'seed'>): string {
  return `${proposal.proposer} ${String(proposal.seed)} ${proposal.caseId}`;
}
