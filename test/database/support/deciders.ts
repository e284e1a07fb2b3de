/** People with tokens, and requests that wait for them. */
import { hear, type Heard, type Said } from '../../../database/decisions.ts';
import { createToken, tokenHash, type NewToken } from '../../../database/tokens.ts';
import type { CommitRequest } from '../../../database/commit/commit.ts';
import type { Row } from '../../../contract/change.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { approve, guardOf, policyRow, propose, requestFor, seedFor, toolCases, type Said as Standing } from './tool-cases.ts';

/** Somebody with a token. */
export type Person = { readonly name: string; readonly tokenId: string; readonly hash: string };

/** A token for somebody; for everything that may be said, unless told otherwise. */
export async function personWith(db: TestDatabase, name: string, more: Partial<NewToken> = {}): Promise<Person> {
  const { token, row } = await createToken(db.owner, { person: name, scopes: ['approve', 'reject', 'edit', 'comment', 'escalate'], ttlMs: 3_600_000, ...more });
  return { name: row.person, tokenId: row.tokenId, hash: tokenHash(token) };
}

/** A request that waits, under a policy with these columns, and the commit that an approval of it allows. */
export async function waitingRequest(db: TestDatabase, policy: Row = {}, standing: Standing = {}): Promise<CommitRequest> {
  const tool = 'change_delivery_address';
  const rows = [policyRow(tool, { approvers: ['ana', 'bob', 'group:ops', 'auto'], ...policy }), ...toolCases[tool].rows.filter((row) => row.table !== 'holdpoint.policies')];
  const worldId = await seedFor(db, tool, rows);
  const request = requestFor(worldId, await propose(db, worldId, { tool }), { guard: guardOf('predicate') });
  await approve(db, request, { verdict: null, ...standing });
  return request;
}

/** Says something about a request, the way a door does. */
export function saying(db: TestDatabase, { hash }: Pick<Person, 'hash'>, request: Pick<CommitRequest, 'opKey' | 'digest'>): (kind: Said['kind'], more?: Partial<Said>) => Promise<Heard> {
  const needs = (kind: Said['kind']): Partial<Said> => ({ ...(kind === 'edit' && { arguments: '{"orderId":"o1","newAddress":"9 Edited Road"}' }), ...(kind === 'escalate' && { to: 'bob' }) });
  return (kind, more = {}) => hear(db.pool, hash, { kind, opKey: request.opKey, digest: request.digest, via: 'cli', comment: kind === 'comment' ? 'why?' : '', ...needs(kind), ...more });
}

/** The commit with what was let in as its decision. */
export function decidedBy(request: CommitRequest, ...heard: Heard[]): CommitRequest {
  const letIn = heard.map((answer) => {
    if ('refused' in answer) throw new Error(`Refused: ${answer.refused}`);
    return answer;
  });
  return { ...request, decision: { verdict: 'approve', by: letIn.at(-1)?.person ?? '', via: 'update', comment: '', decisionIds: letIn.map((answer) => answer.decisionId) } };
}
