/** One proposal from a model: prompt, frozen reply, strict parse, and at most one question more that is another question. */
import type { Reason } from '../../contract/failures.ts';
import type { Observation } from '../../contract/observation.ts';
import type { Arguments } from '../../contract/proposal.ts';
import type { Pool } from '../../database/pool.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { askModel, identifyModel, type AskLimits } from './ask.ts';
import { frozenReply } from './frozen-replies.ts';
import { ModelRequestError, modelOptions, type Message, type Question } from './model-request.ts';
import { parseReply } from './parse-reply.ts';
import { buildPrompt, type Notice } from './prompt.ts';
import type { Attempt, Proposed } from './proposed.ts';
import { replySchema } from './reply-schema.ts';

/** What proposing takes from the activity. */
export type ProposeDeps = { readonly pool: Pool; readonly ollamaHost: string; readonly heartbeat: () => void; readonly signal: AbortSignal; readonly limits?: Partial<AskLimits> };

/** One request for a proposal: what an agent may know of a case, and no more. */
export type ProposeRequest = {
  /** Ollama's name of the model. */
  readonly model: string;
  readonly seed: number;
  /** The tool on offer. */
  readonly tool: string;
  readonly instruction: string;
  readonly observation: Observation;
  /** Why and with what the model is asked again, on a replan. */
  readonly notice?: Notice;
  readonly cautious?: boolean;
  /** The digest that a batch pinned. With it, frozen replies need no server. */
  readonly modelDigest?: string;
};

/** Attempts a proposal: the first question and one changed question. */
const maxAttempts = 2;

/**
 * A proposal, or why there is none. A wrong reply is a value; the first is followed by one question that differs, because the same one would be answered by the
 * same frozen reply.
 * @throws ModelRequestError where asking failed (see its `retryable`); the signal's reason where it was aborted
 */
export async function proposeFor(deps: ProposeDeps, request: ProposeRequest): Promise<Proposed> {
  const contract = toolContract(request.tool);
  if (contract === undefined) throw new ModelRequestError('unknown_tool', `There is no tool "${request.tool}".`);
  const keys = keysRead(contract, request.observation);
  const modelDigest = request.modelDigest ?? (await identifyModel(deps, request.model)).modelDigest;
  const attempts: Attempt[] = [];
  let question = firstQuestion(request, contract);
  for (;;) {
    const frozen = await frozenReply(deps, { modelDigest, question }, (signal) => ask({ ...deps, signal }, { question, modelDigest }));
    const parsed = parseReply(frozen, { contract, keys });
    const failure = 'failure' in parsed ? parsed : null;
    attempts.push({ replyDigest: frozen.replyDigest, asked: frozen.asked, reason: failure?.failure ?? null, detail: failure?.detail ?? '' });
    const traced = { replyDigest: frozen.replyDigest, asked: frozen.asked, attempts };
    if ('ok' in parsed) return parsed.ok.decision === 'act' ? { kind: 'act', reply: parsed.ok, ...traced } : { kind: 'abstain', reply: parsed.ok, ...traced };
    if (attempts.length >= maxAttempts) return { kind: 'failed', reason: parsed.failure, detail: parsed.detail, ...traced };
    question = changedQuestion(question, parsed.failure);
  }
}

/** The keys that were read, by the argument that names them. The read set is in the order of the contract's locks. */
function keysRead(contract: ToolContract, observation: Observation): Arguments {
  return Object.fromEntries(contract.locks.flatMap((row, index) => ('argument' in row.key ? [[row.key.argument, observation.readSet[index]?.key ?? '']] : [])));
}

/** Every form that questions about the request can take: the first, and those that follow a cut reply and one that is wrong otherwise. @throws ModelRequestError for a tool that is not there */
export function questionsOf(request: ProposeRequest): Question[] {
  const contract = toolContract(request.tool);
  if (contract === undefined) throw new ModelRequestError('unknown_tool', `There is no tool "${request.tool}".`);
  const first = firstQuestion(request, contract);
  return [first, changedQuestion(first, 'model_truncated'), changedQuestion(first, 'not_json')];
}

function firstQuestion(request: ProposeRequest, contract: ToolContract): Question {
  const { instruction, observation, notice, cautious } = request;
  const messages = buildPrompt({
    instruction, contract, rows: observation.rows, telemetry: observation.telemetry, ...(notice && { notice }), ...(cautious !== undefined && { cautious }),
  });
  return { model: request.model, messages, format: replySchema(contract, keysRead(contract, observation)), options: modelOptions(request.seed) };
}

/** After a cut reply the budget doubles: at the same budget it would be cut at the same place. After another wrong reply the form is asked for again, under the next seed. */
function changedQuestion(question: Question, failure: Reason): Question {
  const { options } = question;
  if (failure === 'model_truncated') return { ...question, options: { ...options, num_predict: options.num_predict * 2 } };
  const reminder: Message = { role: 'user', content: 'Answer in exactly the asked form, with the values of the request.' };
  return { ...question, messages: [...question.messages, reminder], options: { ...options, seed: (options.seed + 1) % 2 ** 31 } };
}

/** Asks the server, if it still has the weights that the reply will be filed under. */
async function ask(deps: ProposeDeps, { question, modelDigest }: { question: Question; modelDigest: string }): ReturnType<Parameters<typeof frozenReply>[2]> {
  const identity = await identifyModel(deps, question.model);
  if (identity.modelDigest !== modelDigest) throw new ModelRequestError('model_missing', `The model "${question.model}" is another one now: ${identity.modelDigest} instead of ${modelDigest}.`);
  return { ...(await askModel(deps, question)), ...identity };
}
