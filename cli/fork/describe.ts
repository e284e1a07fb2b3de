/** A fork beside its origin, for people. */
import { printable } from '../output.ts';
import { columns } from '../runtime/columns.ts';
import { verdictOf, type Comparison, type Side } from './compare.ts';
import type { OthersWrite } from '../../database/forks.ts';

/** Most lines a list. */
const mostLines = 20;

/** The two sides as two columns, what was made again before the commit, and what is not claimed. */
export function describeFork(comparison: Comparison): string {
  const { origin, fork, sameProposal, replayed, notClaimed, inWords } = comparison;
  const row = (name: string, text: (side: Side) => string): string[] => [name, text(origin), text(fork)];
  const table = columns(['', 'recorded', 'fork'], [
    row('episode', (side) => side.episodeId), row('guard', (side) => side.guard), row('proposal', ({ boundary }) => (boundary?.digest ?? '-').slice(0, 16)),
    row('approved by', ({ boundary }) => (boundary?.decidedBy ?? []).map((person, at) => `${person} (${boundary?.identity?.[at] ?? boundary?.identity?.[0] ?? ''})`).join(', ') || '-'),
    row('epoch read, found', ({ boundary }) => `${boundary?.epochRead ?? '-'}, ${boundary?.epochFound ?? '-'}`),
    ...(origin.boundary?.rows ?? []).map(({ table, key }) => row(`${table}/${key}`, (side) => versionsOf(side, { table, key }))),
    row('asked', ({ boundary }) => ['approval', ...(boundary?.asked ?? [])].join(', ')), row('did not hold', failedOf), row('commit', verdictOf), row('judged', judgedText),
  ], 72);
  return [
    printable(inWords, 400), '', table, '',
    sameProposal ? 'The proposal is the same, digest for digest, and no model was asked.' : 'The fork proposed something else.',
    ...listOf('Before the commit, in the recorded order', replayed), ...listOf('After it in the recorded history, and not claimed', notClaimed),
  ].join('\n');
}

function listOf(head: string, writes: readonly OthersWrite[]): string[] {
  const lines = writes.slice(0, mostLines).map(({ epoch, actor, reason, rows }) => `  epoch ${epoch}  ${printable(actor)}: ${printable(reason)}: ${printable(rows.join(', '), 300)}`);
  return [`${head}: ${writes.length === 0 ? 'nothing.' : String(writes.length)}`, ...lines, ...(writes.length > mostLines ? [`  and ${String(writes.length - mostLines)} more`] : [])];
}

/** The version of a row of the read set that was read, and the one that was found. */
function versionsOf({ boundary }: Side, at: { table: string; key: string }): string {
  const found = boundary?.rows?.find((row) => row.table === at.table && row.key === at.key);
  return found === undefined ? '-' : `version ${found.read}, ${found.found ?? 'none'}`;
}

/** Clauses that did not hold under the locks, also those that nobody asked. */
function failedOf({ boundary }: Side): string {
  const clauses = boundary?.clauses ?? null;
  if (clauses === null) return '-';
  return Object.entries(clauses).filter(([, held]) => !held).map(([clause]) => clause).join(', ') || 'nothing';
}

function judgedText({ judged }: Side): string {
  if ('unjudged' in judged) return judged.unjudged;
  return `${judged.unsafe ? `unsafe (${judged.failedClauses.join(', ') || 'duplicate'})` : 'not unsafe'}, ${String(judged.duplicates)} duplicates, ${judged.integrity}`;
}
