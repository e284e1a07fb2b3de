/** Turns what a model proposes, and proposes again under other seeds, into the line that evaluations replay. */
import type { ProposeRequest } from '../../activities/model/propose.ts';
import type { Proposed } from '../../activities/model/proposed.ts';
import { canonicalText } from '../../contract/digest.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import type { AskedCase } from './cases.ts';
import { decodingSeeds, type FreezeChoice, type PlannedProposal } from './plan.ts';

/** One planned proposal, what is known of its case, and how it is asked. */
export type Asking = { readonly planned: PlannedProposal; readonly asked: AskedCase } & Pick<FreezeChoice, 'repeat' | 'caution'>;

/** A line, and how many proposals of the model it took that were not frozen before. */
export type Answered = { readonly proposal: FrozenProposal; readonly asked: number };

/** Asks as often as is wanted. A failed answer is not asked about again: nothing could agree with it. */
export async function answerOf({ planned, asked, repeat, caution }: Asking, ask: (request: ProposeRequest) => Promise<Proposed>): Promise<Answered> {
  const { caseId, proposer, seed, model } = planned;
  const under = (decodingSeed: number): Promise<Proposed> => ask({ ...asked, model: model.name, modelDigest: model.digest, seed: decodingSeed, cautious: caution });
  const first = await under(seed);
  const further: Proposed[] = [];
  if (first.kind !== 'failed') for (const other of decodingSeeds(planned, repeat)) further.push(await under(other));
  const confidence = first.kind === 'failed' ? null : (first.reply.confidence ?? null);
  const key = { caseId, proposer, digest: model.digest, seed, confidence, agreement: agreementOf(first, further, repeat), ...(caution && { caution: true as const }) };
  return { proposal: lineOf(key, first), asked: [first, ...further].filter(({ attempts }) => attempts.some((attempt) => attempt.asked)).length };
}

/** Share of the further decodings that propose the same as the first, 0 to 1; 0 where the first proposes nothing that could be agreed with, null where none was wanted. */
function agreementOf(first: Proposed, further: readonly Proposed[], repeat: number): number | null {
  if (repeat === 0) return null;
  return further.filter((other) => actionOf(other) === actionOf(first)).length / repeat;
}

/** What was proposed, however sure the model was. */
function actionOf(proposed: Proposed): string {
  return canonicalText(proposed.kind === 'act' ? [proposed.reply.tool, proposed.reply.arguments] : [proposed.kind]);
}

type Key = Omit<Extract<FrozenProposal, { answer: 'abstain' }>, 'answer'>;

function lineOf(key: Key, proposed: Proposed): FrozenProposal {
  switch (proposed.kind) {
    case 'act':
      return { ...key, answer: 'act', tool: proposed.reply.tool, arguments: proposed.reply.arguments };
    case 'abstain':
      return { ...key, answer: 'abstain' };
    case 'failed':
      return { ...key, answer: 'failed', reason: proposed.reason };
  }
}
