/** One request in words. Everything in it may be a model's or a stranger's text, so nothing of it reaches the terminal's controls. */
import { changeInWords, sinceInWords } from '../../contract/preview.ts';
import { decisionCommand } from '../../contract/shell-word.ts';
import type { ApprovalRow } from '../../database/approvals.ts';
import type { DecisionRow } from '../../database/decisions.ts';
import { printable } from '../output.ts';
import type { Shown } from './read.ts';

const clauseWords = { status: 'the operational status', policy: 'the policy', integrity: 'the records', notApplied: 'that it is not done already' } as const;

/** Lines for people: what, on what it rests, who decides and until when, what was said, and the commands. */
export function describeShown(shown: Shown): string {
  const { request, proposal, words, rows, said, others } = shown;
  return [
    `${printable(request.opKey, 1_100)}: ${stateOf(request)}`, '',
    ...words.map((line, at) => `${at === 0 ? '' : '  '}${printable(line, 800)}`), '',
    `Proposed by ${printable(proposal.proposer)} at ${request.requestedAt}, until ${request.expiresAt}.`,
    decidersOf(request), `Allowed while the state is ${printable(proposal.allowedStates.join(' or '))}. Digest ${request.digest}.`, '',
    'It rests on', ...rows.map((row) => `  ${printable(`${row.table}/${row.key}`)} version ${row.read}${row.now === row.read ? ', as it still is' : row.now === null ? ': that row is gone' : `: version ${row.now} by now`}`), lookOf(shown),
    ...(said.length === 0 ? [] : ['', 'What was said', ...said.map(lineOf)]),
    ...(others.length === 0 ? [] : ['', 'Other proposals of the episode', ...others.map((other) => `  ${printable(other.opKey, 1_100)}: ${stateOf(other)}`)]),
    ...(request.live ? ['', decisionCommand('approve', request.episodeId, request.digest), decisionCommand('reject', request.episodeId, request.digest)] : []),
  ].join('\n');
}

function stateOf({ live, verdict, decidedBy, decidedAt, via, comment, decisionIds }: ApprovalRow): string {
  if (live) return 'waits for a decision';
  if (verdict === null) return 'was given up undecided';
  const words = comment === '' ? '' : `: ${printable(comment, 300)}`;
  const [by, at] = [printable(decidedBy ?? ''), decidedAt ?? ''];
  if (decidedBy === 'engine') return `${verdict} by engine at ${at} (by itself)${words}`;
  if (via === 'auto') return `${verdict}, simulated, at ${at}${words}`;
  return `${verdict} by ${by} at ${at} (${printable(via ?? '')}, ${decisionIds !== null ? 'authenticated' : 'unauthenticated'})${words}`;
}

function decidersOf({ approvers, assignedTo, needed, unauthenticated }: ApprovalRow): string {
  const who = assignedTo === null ? approvers.join(', ') || 'nobody' : `${assignedTo}, to whom it was handed on`;
  return `May decide: ${printable(who, 600)}; ${String(needed)} must approve; ${unauthenticated && needed === 1 ? 'a name without proof counts' : 'only with a token'}.`;
}

function lookOf({ check, preview }: Shown): string {
  if (preview !== null) return [...sinceInWords(preview, { kind: 'predicate', without: [] }), 'It would change', ...changeInWords(preview).map((line) => `  ${line}`)].map((line) => printable(line, 800)).join('\n');
  if (check === null) return 'What it needs cannot be looked at.';
  if (!check.allThere) return 'A row that it needs is gone: this would be refused now.';
  const broken = (Object.keys(clauseWords) as (keyof typeof clauseWords)[]).filter((clause) => !check.clauses[clause]);
  return broken.length === 0 ? 'All that it needs is true at this moment; the commit looks again.' : `Not true at this moment: ${broken.map((clause) => clauseWords[clause]).join(', ')}. This would be refused now.`;
}

function lineOf({ at, kind, person, identity, via, comment, refused, assignedTo, arguments: args }: DecisionRow): string {
  const who = person === '' ? 'somebody unknown' : printable(person);
  const more = [assignedTo === null ? '' : ` to ${printable(assignedTo)}`, args === null || args === '' ? '' : ` ${printable(args, 300)}`, comment === '' ? '' : `: ${printable(comment, 300)}`].join('');
  return `  ${at} ${kind} by ${who} (${via}${identity === '' ? '' : `, ${printable(identity)}`})${more}${refused === null ? '' : `; refused: ${refused}`}`;
}
