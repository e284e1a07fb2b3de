/** The guarded commit and its settling: one call, one transaction, one guard. The order of steps is in generate.ts. */
import type { Approval } from '../../contract/approval.ts';
import { failures, type Reason } from '../../contract/failures.ts';
import type { Clause, Guard } from '../../contract/guard.ts';
import type { CommitOutcome } from '../../contract/outcome.ts';
import { rollbackTool } from '../../contract/names.ts';
import { proposalDigest, type Proposal } from '../../contract/proposal.ts';
import { argumentProblem } from '../../guards/tool-contract.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { CommitUnknownError, ContentionError } from '../errors.ts';
import type { Pool, Queryable } from '../pool.ts';
import { inOneTrip, type TransactionOptions } from '../transaction.ts';
import { commitFunction } from './generate.ts';

/** One attempt to commit an approved proposal. */
export type CommitRequest = {
  readonly worldId: string;
  /** Identity only: episode id and step. Every layer that retries uses the same. */
  readonly opKey: string;
  readonly proposal: Proposal;
  /** The digest that was approved; it must be the proposal's own, computed again here. */
  readonly digest: string;
  readonly guard: Guard;
  /** 1 for the first attempt of the op key. */
  readonly attempt: number;
  /** The decision to record in the same transaction, where it is not recorded yet. */
  readonly decision?: Pick<Approval, 'verdict' | 'by' | 'via' | 'comment' | 'decisionIds'>;
};

/** What the commit function says: one JSON text, because one column costs both ends less than seven. Integers are text. */
type Answer =
  | { readonly outcome: 'committed' | 'replayed'; readonly ledgerId: string }
  | { readonly outcome: 'rejected'; readonly reason: Reason; readonly clause?: Clause | null; readonly versionsFound?: (string | null)[]; readonly epochFound?: string | null; readonly stateFound?: unknown };

/**
 * Commits a proposal if its guard holds at the linearization point, exactly once an op key. Safe to call again with the same request:
 * the second call is `replayed`. Never throws for an expected result; contention that outlasts the reruns is a rejection without effect.
 * @throws CommitUnknownError where the line was lost after COMMIT was sent: call again with the same op key, or close it
 */
export async function commitProposal(pool: Pool, request: CommitRequest, options: TransactionOptions = {}): Promise<CommitOutcome> {
  const refusal = refuseBeforeSending(request);
  if (refusal !== null) return refusal;
  try {
    return outcomeOf((await inOneTrip(pool, commitQuery(request), options)) ?? '', request);
  } catch (error) {
    if (error instanceof ContentionError) return rejected('contention_exhausted', { expected: 'a commit within the bound of reruns', found: error.message });
    throw error;
  }
}

/** The commit as a query, for callers that bring their own transaction (READ COMMITTED) and connection, such as tests at barriers. */
export function commitQuery(request: CommitRequest): { name: string; text: string; values: unknown[] } {
  const { proposal, guard, decision } = request;
  const name = commitFunction(proposal.tool);
  return {
    name,
    text: `select ${name}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) as answer`,
    values: [
      request.worldId, request.opKey, request.digest, JSON.stringify(proposal.arguments), guard.kind, guard.without,
      proposal.readSet.map((row) => row.version), proposal.epoch, request.attempt,
      decision?.verdict ?? null, decision?.by ?? null, decision?.via ?? null, decision?.comment ?? '', decision?.decisionIds ?? null,
    ],
  };
}

/** Reads the answer of commitQuery. */
export function outcomeOf(answer: string, request: CommitRequest): CommitOutcome {
  const said = JSON.parse(answer) as Answer;
  if (said.outcome !== 'rejected') return { outcome: said.outcome, ledgerId: said.ledgerId };
  const { reason, clause = null } = said;
  if (reason === 'epoch_moved') return rejected(reason, { expected: `epoch ${request.proposal.epoch}`, found: `epoch ${said.epochFound ?? 'none'}` });
  if (reason === 'read_set_stale')
    return rejected(reason, { expected: versions(request, request.proposal.readSet.map((read) => read.version)), found: versions(request, said.versionsFound ?? []) });
  return rejected(reason, { clause, expected: failures[reason].sentence, found: JSON.stringify(said.stateFound ?? null) });
}

/** What stands after an op key was claimed as closed. */
export type Settled = { readonly state: 'closed' } | { readonly state: 'committed'; readonly ledgerId: string };

/** Why a key is closed and, where nobody had decided yet, what is recorded as the end of the wait. */
export type Closing = { readonly worldId: string; readonly opKey: string; readonly tool: string; readonly reason: Reason; readonly by: string; readonly decision?: 'reject' | 'expired' | 'cancelled' };

/**
 * Settles an op key by claiming it as closed: waits for a transaction in flight on it and returns what stands. After `closed`, no commit with this
 * key can ever take effect. Idempotent.
 */
export async function closeOpKey(db: Queryable, closing: Closing): Promise<Settled> {
  const { rows } = await db.query<{ state: 'closed' | 'committed'; ledger_id: string | null }>('select * from holdpoint.close_op_key($1, $2, $3, $4, $5, $6)', [
    closing.worldId, closing.opKey, closing.tool, closing.reason, closing.by, closing.decision ?? null,
  ]);
  const row = rows[0];
  return row?.state === 'committed' ? { state: 'committed', ledgerId: row.ledger_id ?? '' } : { state: 'closed' };
}

/** Whether an error of commitProposal means that the outcome must be settled. */
export function isUnknown(error: unknown): error is CommitUnknownError {
  return error instanceof CommitUnknownError;
}

/** What can be refused without a transaction: another content than was approved, or a read set that is not the contract's. */
function refuseBeforeSending(request: CommitRequest): CommitOutcome | null {
  const contract = toolContract(request.proposal.tool);
  if (contract === undefined && request.proposal.tool !== rollbackTool) return rejected('unknown_tool', { expected: 'a tool with a contract', found: request.proposal.tool });
  const digest = proposalDigest(request.proposal);
  if (digest !== request.digest) return rejected('stale_proposal', { expected: request.digest, found: digest });
  if (contract === undefined) return null; // what a rollback restores is in the row history, and the function looks it up
  const problem = argumentProblem(contract, request.proposal.arguments);
  if (problem !== null) return rejected('invalid_arguments', { expected: problem, found: JSON.stringify(request.proposal.arguments) });
  const wanted = contract.locks.map((row) => `${row.table}/${'literal' in row.key ? row.key.literal : String(request.proposal.arguments[row.key.argument])}`);
  const read = request.proposal.readSet.map((row) => `${row.table}/${row.key}`);
  return wanted.join() === read.join() ? null : rejected('unread_entity', { expected: wanted.join(), found: read.join() });
}

function versions(request: CommitRequest, found: readonly (string | null)[]): string {
  return request.proposal.readSet.map((row, index) => `${row.table}/${row.key} version ${found[index] ?? 'none'}`).join(', ');
}

function rejected(reason: Reason, { clause = null, expected, found }: { clause?: Clause | null; expected: string; found: string }): CommitOutcome {
  return { outcome: 'rejected', reason, clause, expected, found };
}
