/** Whoever proposed is asked again: canned proposers answer by their rule, models through the very question that live episodes ask on a replan. */
import { performance } from 'node:perf_hooks';
import type { Notice } from '../../../activities/model/prompt.ts';
import type { Reason } from '../../../contract/failures.ts';
import type { FrozenProposal } from '../../../contract/frozen-proposal.ts';
import { isCautious, modelOf } from '../../../contract/proposer-name.ts';
import type { Observation } from '../../../contract/observation.ts';
import type { Arguments } from '../../../contract/proposal.ts';
import type { Pool } from '../../../database/pool.ts';
import type { EpisodePlan } from '../../../scenarios/scenario.ts';
import { askFor } from '../../freeze/ask.ts';
import { UserError } from '../../output.ts';
import { cannedModels } from '../../records/plan.ts';

/** What goes back: the frozen answer, its case as an agent may know it, the read that was made again, and the notice. */
export type ReplanRequest = {
  readonly first: FrozenProposal;
  readonly plan: Pick<EpisodePlan, 'tool' | 'instruction' | 'arguments'>;
  readonly observation: Observation;
  readonly notice: Notice;
};

/** The new answer. `roundTripMs`: from question to valid answer by the wall clock, in milliseconds; null where no model was asked. */
export type ReplanAnswer = { readonly roundTripMs: number | null } & (
  | { readonly answer: 'act'; readonly tool: string; readonly arguments: Arguments }
  | { readonly answer: 'abstain' }
  | { readonly answer: 'failed'; readonly reason: Reason }
);

/** Asks a proposer again. Throws where it cannot be asked; a wrong answer is a value. */
export type Replanner = { replan(request: ReplanRequest): Promise<ReplanAnswer> };

/** Proposers without a model do the same again whatever they are told: `always-act` takes the template's mutation. @throws UserError for any other proposer */
export const cannedReplanner: Replanner = {
  replan: ({ first: { proposer }, plan }) => {
    if (!cannedModels.includes(proposer)) return Promise.reject(new UserError(`${proposer} cannot be asked again: no model server was given.`));
    return Promise.resolve(proposer === 'always-act' ? { answer: 'act', tool: plan.tool, arguments: plan.arguments, roundTripMs: null } : { answer: 'abstain', roundTripMs: null });
  },
};

/** Where models are asked, and until when. Their replies are frozen in the pool's database. */
export type OllamaPlace = { readonly pool: Pool; readonly ollamaHost: string; readonly signal: AbortSignal };

/**
 * Asks models through Ollama, one question at a time: that is fastest, and the only way in which a seed gives the same reply again. A model whose digest is another
 * than that of the frozen answer is not asked. @returns a replanner that throws UserError where the server fails
 */
export function ollamaReplanner({ pool, ollamaHost, signal }: OllamaPlace): Replanner {
  let last: Promise<unknown> = Promise.resolve();
  const ask = async ({ first, plan, observation, notice }: ReplanRequest): Promise<ReplanAnswer> => {
    const startedMs = performance.now();
    const proposed = await askFor({ pool, ollamaHost, signal }, {
      model: modelOf(first.proposer), cautious: isCautious(first.proposer), seed: first.seed, tool: plan.tool, instruction: plan.instruction, observation, notice, ...(first.digest !== null && { modelDigest: first.digest }),
    });
    const roundTripMs = proposed.attempts.some(({ asked }) => asked) ? performance.now() - startedMs : null;
    if (proposed.kind === 'act') return { answer: 'act', tool: proposed.reply.tool, arguments: proposed.reply.arguments, roundTripMs };
    return proposed.kind === 'abstain' ? { answer: 'abstain', roundTripMs } : { answer: 'failed', reason: proposed.reason, roundTripMs };
  };
  return {
    replan(request) {
      if (cannedModels.includes(request.first.proposer)) return cannedReplanner.replan(request);
      const next = last.then(() => ask(request));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
