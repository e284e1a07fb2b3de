/** Makes a step's proposal: asks the proposer, checks and freezes the answer, and asks people for a decision about exactly that. */
import { Context } from '@temporalio/activity';
import { digestOf } from '../contract/digest.ts';
import type { Reason } from '../contract/failures.ts';
import { opKeyOf } from '../contract/names.ts';
import { Proposal } from '../contract/proposal.ts';
import { episodeAtStep, noteStep } from '../database/episode-steps.ts';
import { settledKeys, type EpisodeRow } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import { toolContract } from '../guards/tools/index.ts';
import type { LockedRow } from '../guards/tool-contract.ts';
import type { Observation, ReadSet } from '../contract/observation.ts';
import { planOf } from '../scenarios/plan.ts';
import { askFor, standing } from './ask-for-decision.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { failureOf } from './failures.ts';
import { recordedAnswer } from './fork.ts';
import { alwaysAct } from './model/always-act.ts';
import type { Notice } from './model/prompt.ts';
import type { Proposed as Answer } from './model/proposed.ts';
import { noticeOf } from './return-evidence.ts';
import { editedAnswer } from './propose-edit.ts';
import type { EditRef, Proposed, ProposeActivityRequest } from './types.ts';

/** Proposes, once a step: a repeated call returns the request that the first one made. */
export async function propose(deps: Pick<ActivityDependencies, 'pool' | 'proposer'>, request: ProposeActivityRequest): Promise<Proposed> {
  const { pool } = deps;
  const opKey = opKeyOf(request.episodeId, request.step);
  const [episode, states] = await Promise.all([episodeAtStep(pool, request.episodeId, opKey), settledKeys(pool, [opKey])]);
  if (states.get(opKey)?.state === 'closed') return { kind: 'closed' };
  if (typeof episode?.proposal === 'string') return standing(pool, opKey);
  const observation = episode?.steps[request.step - 1]?.observation;
  if (episode === undefined || observation === undefined) throw failureOf('malformed_input', `The episode ${request.episodeId} has no observation for step ${String(request.step)}.`);
  if (typeof episode.forkedFrom === 'string') return proposeRecorded(pool, episode, request);
  if (request.edit !== undefined) return proposeEdit(pool, episode, { ...request, edit: request.edit });
  const notice: Notice | undefined = request.block === null ? noticeOf(episode, request.step) : { kind: 'blocked', reason: request.block.reason, found: request.block.found };
  const answer = await ask(deps, { episode, observation, notice });
  const frozen = answer.kind === 'act' ? freeze(answer.reply, { proposer: `agent:${episode.model}`, observation, windowMs: request.windowMs }) : answer;
  const entry = { answer: { ...answer, ...(frozen.kind === 'failed' && { refused: frozen.reason }) }, block: request.block };
  if (frozen.kind !== 'frozen') {
    await noteStep(pool, request, entry);
    return frozen.kind === 'failed' ? { kind: 'failed', reason: frozen.reason } : { kind: 'abstain' };
  }
  return askFor(pool, request, { episode, entry, proposal: frozen.proposal });
}

/** Proposes what a person put in place of the step before. Its own read stands beside it, because it may name other rows. */
async function proposeEdit(pool: Pool, episode: EpisodeRow, request: ProposeActivityRequest & { readonly edit: EditRef }): Promise<Proposed> {
  const edited = await editedAnswer(pool, episode, request.edit.decisionId);
  if ('failed' in edited) return { kind: 'failed', reason: edited.failed };
  const { answer, observation, proposer } = edited;
  const frozen = freeze(answer.reply, { proposer, observation, windowMs: request.windowMs });
  if (frozen.kind === 'failed') return frozen;
  return askFor(pool, request, { episode, entry: { answer, block: request.block, observation }, proposal: frozen.proposal });
}

/** Proposes what the forked commit had proposed. */
async function proposeRecorded(pool: Pool, episode: EpisodeRow, request: ProposeActivityRequest): Promise<Proposed> {
  const { answer, proposal } = await recordedAnswer(pool, episode);
  return askFor(pool, request, { episode, entry: { answer, block: request.block }, proposal });
}

type Question = { readonly episode: EpisodeRow; readonly observation: Observation; readonly notice: Notice | undefined };

async function ask({ proposer }: Pick<ActivityDependencies, 'proposer'>, { episode, observation, notice }: Question): Promise<Answer> {
  const plan = planOf(episode.caseId);
  if (episode.model === 'always-act') return alwaysAct(plan);
  if (episode.model === 'always-abstain') return { kind: 'abstain', reply: { decision: 'abstain' }, replyDigest: digestOf([episode.model]), asked: false, attempts: [] };
  const { model, seed } = episode;
  const context = Context.current();
  const ties = { signal: context.cancellationSignal, heartbeat: () => { context.heartbeat(); } };
  return proposer({ model, seed, tool: plan.tool, instruction: plan.instruction, observation, ...(notice && { notice }), ...ties });
}

type Act = Extract<Answer, { kind: 'act' }>['reply'];
type Frozen = { readonly kind: 'frozen'; readonly proposal: Proposal } | { readonly kind: 'failed'; readonly reason: Reason };

/** The proposal is made of the validated answer and of what was read; an action on rows that were not read is none. */
function freeze(answer: Act, { proposer, observation, windowMs }: { proposer: string; observation: Observation; windowMs: number }): Frozen {
  const contract = toolContract(answer.tool);
  if (contract === undefined) return { kind: 'failed', reason: 'unknown_tool' };
  if (!contract.locks.every((lock, index) => isRead(lock, answer, observation.readSet[index]))) return { kind: 'failed', reason: 'unread_entity' };
  const parsed = Proposal.safeParse({
    tool: answer.tool, arguments: answer.arguments, readSet: observation.readSet, epoch: observation.epoch,
    allowedStates: contract.allowedStates, proposer, windowMs,
  });
  return parsed.success ? { kind: 'frozen', proposal: parsed.data } : { kind: 'failed', reason: 'schema_violation' };
}

function isRead(lock: LockedRow, answer: Act, row: ReadSet[number] | undefined): boolean {
  const key = 'literal' in lock.key ? lock.key.literal : answer.arguments[lock.key.argument];
  return row !== undefined && row.table === lock.table && key !== undefined && row.key === String(key);
}
