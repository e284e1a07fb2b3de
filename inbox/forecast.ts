/** What a commit would do if it ran now, in one sentence: told to a person before they decide. A forecast only: the commit locks and looks again. */
import { failures, type Reason } from '../contract/failures.ts';
import type { Clause, Guard } from '../contract/guard.ts';
import { refusalNow, type ColumnChange, type Preview } from '../contract/preview.ts';

/** The forecast. `reason`: why it would be refused, or null where it would be committed. */
export type Forecast = { readonly outcome: 'committed' | 'refused' | 'unknown'; readonly reason: Reason | null; readonly sentence: string };

const clauseReasons: Readonly<Record<Clause, Reason>> = { notApplied: 'already_applied', status: 'status_violated', policy: 'policy_violated', integrity: 'integrity_violated' };

/** The forecast with what changed, for example `orders.orders ord-1: status PAID -> PACKING: this would be refused.` Null: the tool is unknown. */
export function forecastOf(guard: Guard, preview: Preview | null): Forecast {
  if (preview === null) return { outcome: 'unknown', reason: null, sentence: 'Nothing can be told ahead: the tool is not known.' };
  const reason = refusalNow(preview, guard);
  const changed = changesInWords(preview);
  if (reason !== null) return { outcome: 'refused', reason, sentence: `${changed}: this would be refused. ${failures[reason].sentence}` };
  const broken = Object.entries(clauseReasons).filter(([clause]) => !preview.clauses[clause as Clause]).map(([, of]) => failures[of].sentence);
  if (broken.length > 0) return { outcome: 'committed', reason: null, sentence: `${changed}: the guard of this episode would let this through all the same, although: ${broken.join(' ')}` };
  return { outcome: 'committed', reason: null, sentence: `${changed}: this would ${preview.epochNow === preview.epochRead ? '' : 'still '}be committed.` };
}

/** Changes of the rows that the proposal rests on; where there are none, that something else was written. */
function changesInWords({ rows, epochRead, epochNow }: Preview): string {
  const moved = rows.filter((row) => row.versionNow !== row.versionRead).map(({ table, key, versionNow, columns }) =>
    versionNow === null ? `${table} ${key} is gone` : `${table} ${key}: ${columns.map(columnInWords).join(', ') || 'something beside it was written'}`);
  if (moved.length > 0) return moved.slice(0, 3).join('; ');
  return epochNow === epochRead ? 'Nothing changed since the model looked' : 'Nothing that the model read has changed';
}

function columnInWords({ column, before, after }: ColumnChange): string {
  return `${column} ${inWords(before)} -> ${inWords(after)}`;
}

/** A value on one line; long texts are cut, the table below the sentence has them whole. */
function inWords(value: unknown): string {
  const text = value === null || value === undefined ? 'nothing' : typeof value === 'string' ? (value === '' ? 'empty' : value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
