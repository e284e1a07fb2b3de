/** What a commit would do if it ran now, in one sentence: told to a person before they decide. A forecast only: the commit locks and looks again. */
import { failures, type Reason } from '../contract/failures.ts';
import type { Clause, Guard } from '../contract/guard.ts';
import type { ColumnChange, Look } from '../database/look.ts';

/** The forecast. `reason`: why it would be refused, or null where it would be committed. */
export type Forecast = { readonly outcome: 'committed' | 'refused' | 'unknown'; readonly reason: Reason | null; readonly sentence: string };

const clauseReasons: readonly (readonly [Clause, Reason])[] = [
  ['notApplied', 'already_applied'], ['status', 'status_violated'], ['policy', 'policy_violated'], ['integrity', 'integrity_violated'],
];

/** The reason that the guard would give, in the commit's own order; null where it would let the commit through. */
export function refusalNow(guard: Guard, { rows, clauses, allThere, epochRead, epochNow }: Look): Reason | null {
  if (!allThere) return 'entity_missing';
  if (guard.kind === 'epoch' && epochNow !== epochRead) return 'epoch_moved';
  if (guard.kind === 'version' && rows.some((row) => row.versionNow !== row.versionRead)) return 'read_set_stale';
  if (guard.kind !== 'predicate') return null;
  return clauseReasons.find(([clause]) => clauses?.[clause] !== true && !guard.without.includes(clause))?.[1] ?? null;
}

/** The forecast with what changed, for example `orders.orders ord-1: status PAID -> PACKING: this would be refused.` */
export function forecastOf(guard: Guard, look: Look): Forecast {
  if (look.clauses === null) return { outcome: 'unknown', reason: null, sentence: 'Nothing can be told ahead: the tool is unknown, or does not take these arguments.' };
  const reason = refusalNow(guard, look);
  const changed = changesInWords(look);
  if (reason !== null) return { outcome: 'refused', reason, sentence: `${changed}: this would be refused. ${failures[reason].sentence}` };
  const broken = clauseReasons.filter(([clause]) => look.clauses?.[clause] !== true).map(([, of]) => failures[of].sentence);
  if (broken.length > 0) return { outcome: 'committed', reason: null, sentence: `${changed}: the guard of this episode would commit this all the same, although: ${broken.join(' ')}` };
  return { outcome: 'committed', reason: null, sentence: `${changed}: this would ${look.changes.length === 0 ? '' : 'still '}be committed.` };
}

/** Changes of the rows that the proposal rests on; where there are none, how much else was written. */
function changesInWords({ rows, changes }: Look): string {
  const moved = rows.flatMap(({ table, key, versionNow, columns }) => versionNow === null ? [`${table} ${key} is gone`] : columns.length === 0 ? [] : [`${table} ${key}: ${columns.map(columnInWords).join(', ')}`]);
  if (moved.length > 0) return moved.slice(0, 3).join('; ');
  const others = [...new Set(changes.filter((change) => !change.inReadSet).map(({ table, key }) => `${table} ${key}`))];
  if (others.length > 0) return `Written since the model looked: ${others.slice(0, 3).join(', ')}`;
  return changes.length === 0 ? 'Nothing changed since the model looked' : 'What changed since the model looked has changed back';
}

function columnInWords({ column, before, after }: ColumnChange): string {
  return `${column} ${inWords(before)} -> ${inWords(after)}`;
}

/** A value on one line; long texts are cut, the table below the sentence has them whole. */
function inWords(value: unknown): string {
  const text = value === null ? 'nothing' : typeof value === 'string' ? (value === '' ? 'empty' : value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
