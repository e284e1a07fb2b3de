/** What a proposal would do right now, and what has changed since it was made: types, and what they come to in words. */
import { failures, type Reason } from './failures.ts';
import type { Clause, Guard } from './guard.ts';
import type { Scalar } from './observation.ts';
import { visibleText } from './visible-text.ts';

/** One column's two values. `undefined` (absent in JSON): the row was not there then. */
export type ColumnChange = { readonly column: string; readonly before?: Scalar | readonly string[]; readonly after?: Scalar | readonly string[] };

/** One row that the effect would write; the world and the version, which goes up by itself, are not among its columns. `key`: null where a sequence is to give it. */
export type RowChange = { readonly kind: 'insert' | 'update' | 'delete'; readonly table: string; readonly key: string | null; readonly columns: readonly ColumnChange[] };

/** A row of the read set then and now; versions are decimal text. A version that moved without a column says that something beside the row changed, such as a hold on it. */
export type RowSince = {
  readonly table: string; readonly key: string; readonly versionRead: string;
  /** Null: the row is gone. */
  readonly versionNow: string | null;
  /** What differs from what was read. */
  readonly columns: readonly ColumnChange[];
  /** Who changed the row last, where the version moved. `at` is ISO 8601 by the database's clock. */
  readonly lastChange: { readonly actor: string; readonly reason: string; readonly at: string } | null;
};

/** A look at one moment of the database. It is old as soon as it is there: only the commit's own look decides. */
export type Preview = {
  readonly at: string;
  readonly epochRead: string;
  readonly epochNow: string | null;
  /** In the order of the read set. */
  readonly rows: readonly RowSince[];
  readonly clauses: Readonly<Record<Clause, boolean>>;
  /** Of a rollback: why it would be refused now, where that is no clause of a tool. */
  readonly refusal?: Reason;
  /** `busy`: a transaction in flight holds one of the rows; `gone`: a row is not there; `impossible`: the tables refuse the effect, or the tool such arguments. */
  readonly change:
    | { readonly state: 'shown'; readonly rows: readonly RowChange[] }
    | { readonly state: 'busy' } | { readonly state: 'gone'; readonly missing: readonly string[] } | { readonly state: 'impossible'; readonly why: string };
};

const ofClause: readonly (readonly [Clause, Reason])[] = [
  ['notApplied', 'already_applied'], ['status', 'status_violated'], ['policy', 'policy_violated'], ['integrity', 'integrity_violated'],
];

/** Why this guard would refuse the commit now, in the commit's order of reasons, or null. Approval and op key are not looked at. */
export function refusalNow(preview: Preview, guard: Guard): Reason | null {
  const { change, epochRead, epochNow, rows, clauses } = preview;
  if (preview.refusal !== undefined) return preview.refusal;
  if (change.state === 'gone' || epochNow === null) return 'entity_missing';
  if (guard.kind === 'epoch' && epochNow !== epochRead) return 'epoch_moved';
  if (guard.kind === 'version' && rows.some((row) => row.versionNow !== row.versionRead)) return 'read_set_stale';
  const failed = guard.kind === 'predicate' ? ofClause.find(([clause]) => !clauses[clause] && !guard.without.includes(clause)) : undefined;
  if (failed !== undefined) return failed[1];
  return change.state === 'impossible' ? 'database_refused' : null;
}

/** What changed since the proposal, one sentence a row, and whether it would be refused: `orders.orders/o1: status PAID -> PACKING …`. */
export function sinceInWords(preview: Preview, guard: Guard): string[] {
  const moved = preview.rows.filter((row) => row.versionNow !== row.versionRead).map((row) => {
    const what = row.versionNow === null ? 'gone' : row.columns.map(columnInWords).join(', ') || 'no column of its own; something beside it changed';
    const by = row.lastChange === null ? '' : ` (${row.lastChange.actor}: ${row.lastChange.reason})`;
    return visibleText(`${row.table}/${row.key}: version ${row.versionRead} -> ${row.versionNow ?? 'none'}; ${what}${by}`);
  });
  const reason = refusalNow(preview, guard);
  const verdict = reason === null ? 'It would be let through.' : `This would be refused (${reason}): ${failures[reason].sentence}`;
  return [...(moved.length === 0 ? ['Nothing that was read has changed.'] : moved), verdict];
}

/** What the effect would write, one sentence a row. */
export function changeInWords({ change }: Preview): string[] {
  if (change.state === 'busy') return ['A transaction in flight holds a row that this would change: look again in a moment.'];
  if (change.state === 'gone') return [`Nothing can be changed: ${visibleText(change.missing.join(', '))} is not there.`];
  if (change.state === 'impossible') return [`It cannot be carried out: ${visibleText(change.why)}.`];
  return change.rows.map((row) => visibleText(`${row.table}${row.key === null ? '' : `/${row.key}`}: ${row.kind === 'update' ? '' : `${row.kind} `}${row.columns.map(columnInWords).join(', ')}`));
}

function columnInWords({ column, before, after }: ColumnChange): string {
  const shown = (value: unknown): string => (typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : JSON.stringify(value));
  if (before === undefined) return `${column} ${shown(after)}`;
  return `${column} ${shown(before)} -> ${after === undefined ? 'gone' : shown(after)}`;
}
