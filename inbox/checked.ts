/** What somebody wants to say, looked at before the database hears it: what cannot be let in is put so that the database refuses it and keeps that, and told in a sentence. */
import { Proposal } from '../contract/proposal.ts';
import { requestOf, type ApprovalRow } from '../database/approvals.ts';
import type { Said } from '../database/decisions.ts';
import { missingRow } from '../database/named-rows.ts';
import type { Queryable } from '../database/pool.ts';
import { editedArguments } from '../database/tool-facts.ts';
import { identify } from '../database/tokens.ts';
import { waitingRequests } from '../database/waiting.ts';
import { formProblem } from './form.ts';

/** What is said. `arguments`: of an edit, all of them by name, untrusted until they were held against the tool's contract here. */
export type Speech = Pick<Said, 'kind' | 'opKey' | 'digest' | 'to'> & { readonly comment?: string; readonly arguments?: unknown };

/** What can be heard. `problem`: what the database will refuse in it as `malformed_decision`, in one sentence, or null. */
export type Checked = { readonly said: Said; readonly problem: string | null };

/** Looks. `hash`: of the speaker's token. */
export async function checked(db: Queryable, hash: string, { via, arguments: given, ...speech }: Speech & Pick<Said, 'via'>): Promise<Checked> {
  const { kind, opKey, digest, comment = '', to } = speech;
  // Where nothing is said, nothing is sent, and the database finds the comment missing.
  const said: Said = { kind, opKey, digest, via, comment: kind === 'comment' && comment.trim() === '' ? '' : comment, ...(to !== undefined && { to }) };
  const problem = formProblem(said);
  if (kind !== 'edit') return { said, problem };
  const request = await requestOf(db, opKey);
  if (request === undefined) return { said: { ...said, arguments: '{}' }, problem };
  const edited = editedArguments(Proposal.parse(JSON.parse(request.proposal)), given);
  const wrong = 'problem' in edited ? edited.problem : request.digest === digest ? await unfoundedEdit(db, hash, { request, text: edited.text }) : null;
  // An edit without arguments is one that the database refuses.
  return { said: { ...said, arguments: 'text' in edited && wrong === null ? edited.text : '' }, problem: problem ?? (wrong === null ? null : `In the arguments: ${wrong}.`) };
}

/**
 * What is missing for an edit, or null: one that names a row that is not there would end the request and lead nowhere. Only for whoever may edit it now: nobody
 * else learns here which rows there are, and they hear from the database why they may not.
 */
async function unfoundedEdit(db: Queryable, hash: string, { request, text }: { readonly request: ApprovalRow; readonly text: string }): Promise<string | null> {
  const bearer = await identify(db, hash);
  if (bearer?.scopes.includes('edit') !== true || bearer.tools?.includes(request.tool) === false) return null;
  const { rows: [waiting] } = await waitingRequests(db, { opKey: request.opKey }, { viewer: bearer.person, limit: 1 });
  if (waiting?.mine !== true || waiting.approvedBy.length >= waiting.needed) return null;
  return missingRow(db, request.worldId, { tool: request.tool, arguments: JSON.parse(text) as Proposal['arguments'] });
}
