/** A person's edit as an answer: their arguments in place of the proposed ones, on rows that were read for it. No model is asked. */
import { digestOf } from '../contract/digest.ts';
import type { Reason } from '../contract/failures.ts';
import type { Observation } from '../contract/observation.ts';
import { Arguments } from '../contract/proposal.ts';
import { editOf } from '../database/decisions.ts';
import type { EpisodeRow } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import { RowMissingError } from '../database/worlds.ts';
import { argumentProblem } from '../guards/tool-contract.ts';
import { toolContract } from '../guards/tools/index.ts';
import { planOf } from '../scenarios/plan.ts';
import type { Proposed as Answer } from './model/proposed.ts';
import { observe } from './open-episode.ts';

type Act = Extract<Answer, { kind: 'act' }>;

/** The edit as an answer and a read of the rows that it names, which may be others than the model's; or why it cannot be proposed. */
export type Edited = { readonly answer: Act; readonly observation: Observation; readonly proposer: string } | { readonly failed: Reason };

/** Reads the edit that ended the step before. The arguments were checked where they were given; they are checked again, because they come from a table. */
export async function editedAnswer(pool: Pool, episode: EpisodeRow, decisionId: number): Promise<Edited> {
  const edit = await editOf(pool, episode.episodeId, decisionId);
  if (edit === undefined) return { failed: 'not_authenticated' }; // the database let in no such edit
  const contract = toolContract(edit.tool);
  const args = Arguments.safeParse(jsonOf(edit.arguments));
  if (contract === undefined || !args.success || argumentProblem(contract, args.data) !== null) return { failed: 'invalid_arguments' };
  try {
    const observation = await observe(pool, planOf(episode.caseId), { worldId: episode.worldId, sight: 'again', keys: args.data });
    const reply = { decision: 'act', tool: edit.tool, arguments: args.data } as const;
    return { answer: { kind: 'act', reply, replyDigest: digestOf(['edit', decisionId]), asked: false, attempts: [] }, observation, proposer: `person:${edit.person}` };
  } catch (error) {
    if (error instanceof RowMissingError) return { failed: 'entity_missing' };
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
