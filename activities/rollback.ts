/** What a rollback's workflow asks of the database: the request that it holds, the commit, and the end. The request was made by whoever proposed it, who was known there. */
import { Context } from '@temporalio/activity';
import { remindAfterMs } from '../contract/episode-input.ts';
import { opKeyOf } from '../contract/names.ts';
import type { CommitOutcome } from '../contract/outcome.ts';
import { Proposal } from '../contract/proposal.ts';
import { recordDecision, requestOf } from '../database/approvals.ts';
import { closeOpKey, commitProposal } from '../database/commit/commit.ts';
import type { Pool } from '../database/pool.ts';
import { rollbackToHold } from '../database/rollbacks.ts';
import { standing } from './ask-for-decision.ts';
import { failureOf } from './failures.ts';
import type { Closed, CloseRollbackRequest, CommitRollbackRequest, OpenedRollback } from './types.ts';

/** Finds the request that waits. @throws ApplicationFailure of type `unknown_or_closed_request` where none does: a workflow started by hand proposes nothing */
export async function openRollback(pool: Pool, rollbackId: string): Promise<OpenedRollback> {
  const waiting = await rollbackToHold(pool, rollbackId);
  if (waiting === undefined) throw failureOf('unknown_or_closed_request', `Nobody has proposed ${rollbackId}, or its window has ended: use \`holdpoint propose-rollback\`.`);
  const { opKey, step, windowMs } = waiting;
  const request = await standing(pool, opKey);
  if (request.kind !== 'act') throw new TypeError(`The request ${opKey} has no proposal.`);
  return { request, step, windowMs, remindAfterMs: remindAfterMs({ approval: { mode: 'manual', delayMs: 0, rule: 'approve', approver: 'auto' }, windowMs }) };
}

/** One attempt, safe to repeat: the op key replays. */
export async function commitRollback(pool: Pool, { rollbackId, step, decision }: CommitRollbackRequest): Promise<CommitOutcome> {
  const opKey = opKeyOf(rollbackId, step);
  const request = await requestOf(pool, opKey);
  if (request === undefined) return { outcome: 'rejected', reason: 'approval_missing', clause: null, expected: opKey, found: 'no request' };
  const { verdict, by, via, comment, decisionIds, digest } = decision;
  return commitProposal(pool, {
    worldId: request.worldId, opKey, proposal: Proposal.parse(JSON.parse(request.proposal)), digest, guard: { kind: 'predicate', without: [] }, attempt: Context.current().info.attempt,
    decision: { verdict, by, via, comment, ...(decisionIds !== undefined && { decisionIds }) },
  });
}

/** Closes the op key, after recording the decision that ended the wait. A commit in flight has won then. Idempotent. */
export async function closeRollback(pool: Pool, { rollbackId, close }: CloseRollbackRequest): Promise<Closed> {
  const { decision, reason, step } = close;
  const opKey = opKeyOf(rollbackId, step);
  const request = await requestOf(pool, opKey);
  if (request === undefined) return { ledgerId: null };
  const spoken = decision !== null && typeof decision === 'object' ? decision : null;
  if (spoken !== null) await recordDecision(pool, spoken);
  const ended = decision === 'expired' || decision === 'cancelled' ? { decision } : {};
  const settled = await closeOpKey(pool, { worldId: request.worldId, opKey, tool: request.tool, reason, by: spoken?.by ?? 'engine', ...ended });
  return { ledgerId: settled.state === 'committed' ? settled.ledgerId : null };
}
