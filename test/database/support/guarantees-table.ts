/** The guarantees as plain data, and the page made from them: what a guard did to an anomaly, as it came out of the tests. */
import type { GuardKind } from '../../../contract/guard.ts';

/** What came out: the anomaly was prevented or happened; or nothing was wrong and the commit was refused all the same, or went through. */
export type Cell = 'prevented' | 'happens' | 'refused' | 'commits';

/** A column of the table: a guard, or a guard with the epoch's bump switched off. */
export type Column = GuardKind | `${'version' | 'predicate'}, no epoch`;

/** The columns, in the page's order. */
export const columns: readonly Column[] = ['none', 'epoch', 'version', 'predicate', 'version, no epoch', 'predicate, no epoch'];

/** One row of the table: an anomaly and how it was provoked. */
export type Provoked = { readonly anomaly: string; readonly how: string };
export type ClauseResult = { readonly tool: string; readonly clause: string; readonly how: string; readonly reason: string; readonly without: string };
export type Mutant = { readonly broken: string; readonly leak: string };

/** Everything the page says. */
export type Guarantees = {
  readonly rows: readonly Provoked[];
  /** By anomaly and column. */
  readonly cells: ReadonlyMap<string, ReadonlyMap<Column, Cell>>;
  readonly clauses: readonly ClauseResult[];
  readonly mutants: readonly Mutant[];
};

const signs: Readonly<Record<Cell, string>> = { prevented: '✓', happens: '✗', refused: '⊘', commits: '○' };

/** The page. @throws Error where a cell has no result: a page is made from a whole run or not at all */
export function renderGuarantees({ rows, cells, clauses, mutants }: Guarantees): string {
  const line = (parts: readonly string[]): string => `| ${parts.join(' | ')} |`;
  const rule = (count: number): string => line(Array.from({ length: count }, () => '---'));
  const sign = (anomaly: string, column: Column): string => {
    const cell = cells.get(anomaly)?.get(column);
    if (cell === undefined) throw new Error(`No result: ${anomaly}, ${column}. Run the whole file.`);
    return signs[cell];
  };
  return `${[
    '# What each guard guarantees',
    '',
    'Written by `test/database/guarantees.test.ts`: do not edit. The test compares this page with what came out of its run; `UPDATE_DOCS=1` writes it anew.',
    '',
    '✓ the anomaly is prevented · ✗ it happens · ⊘ nothing was wrong, and the commit is refused all the same · ○ nothing was wrong, and the commit goes through',
    '',
    line(['anomaly', ...columns]),
    rule(columns.length + 1),
    ...rows.map((row) => line([row.anomaly, ...columns.map((column) => sign(row.anomaly, column))])),
    '',
    '`none` leaves out the guard and keeps op key and approval. The columns *no epoch* were run in a database whose history trigger neither bumps nor locks the epoch: there only the locks on the rows',
    'that a decision depends on keep order. A row of an anomaly is harmful, and one of ABA or an unrelated write is not: its right answer is ○, and ⊘ is the price of a guard',
    'that compares more than it needs. ABA is decided so: versions and epoch only grow, so those two guards refuse a value that went away and came back; a predicate looks',
    'at what is there now and commits. An overwrite that the contract allows is refused by nobody but those two: the contract has no clause about the old address.',
    '',
    '## How each was provoked',
    '',
    'Each row was run in three orders with real connections: the other writer commits before the commit asks for its locks; the other writer holds its locks while the commit is',
    'seen waiting for them, and commits then; the commit holds its locks while the other writer is seen waiting. A cell counts an anomaly of any of the three.',
    '',
    ...rows.map((row) => `- *${row.anomaly}*: ${row.how}`),
    '',
    '## A writer between the lock request and its grant, clause by clause',
    '',
    'The writer has written and not committed, the commit is sent and seen waiting, the writer commits. Each line was run with the epoch and without it, and both came out so.',
    '',
    line(['tool', 'clause', 'what the writer did', 'predicate guard', 'with this clause left out']),
    rule(5),
    ...clauses.map((result) => line([`\`${result.tool}\``, result.clause, result.how, `rejected: \`${result.reason}\``, result.without])),
    '',
    '## The tests can fail',
    '',
    'The same interleavings against a commit function broken on purpose:',
    '',
    ...mutants.map((mutant) => `- ${mutant.broken}: ${mutant.leak}`),
  ].join('\n')}\n`;
}
