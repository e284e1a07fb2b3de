/** What the rows of an episode's history say, in sentences. */
import type { BoundaryRow, WorldChange } from '../contract/episode-facts.ts';
import { failures, isReason } from '../contract/failures.ts';
import type { Said } from './said.ts';

/** Each row of the read set with the version that was found, and the one that was read where it is another. */
export function foundText(row: BoundaryRow): string {
  return (row.rows ?? []).map((one) => `${one.table}/${one.key} version ${one.found ?? 'none'}${one.found === one.read ? '' : `, read at ${one.read}`}`).join('; ');
}

/** Which precondition let it through or refused it, in one sentence. */
export function boundaryText(row: BoundaryRow): string {
  if (row.outcome === 'committed') return `let through: ${['approval', ...(row.asked ?? [])].join(', ')} held; ${row.disposition ?? ''}`;
  if (row.outcome === 'refused') return `refused by ${row.refusedBy ?? 'nothing known'} (${why(row.reason)}); ${row.disposition ?? ''}`;
  return row.outcome === 'closed' ? `given up before a commit (${why(row.reason)}); ${row.disposition ?? ''}` : row.outcome;
}

/** A reason with the registry's sentence for it. */
export function why(reason: string | null): string {
  return reason === null ? 'unstated' : isReason(reason) ? `${reason}: ${failures[reason].sentence.replace(/\.$/, '')}` : reason;
}

/** How somebody said something, and why it did not count where it did not. */
export function saidText(one: Said): string {
  const how = one.identity === '' ? 'no token that is in force' : one.identity;
  const more = [one.assignedTo === null ? '' : `to ${one.assignedTo}`, one.arguments ?? '', one.comment === '' ? '' : `"${one.comment}"`].filter((text) => text !== '').join(', ');
  return `${how}, by ${one.via}${more === '' ? '' : `: ${more}`}${one.refused === null ? '' : `; ${why(one.refused)}`}`;
}

/** What a change did to its row: columns with both values, or those of a new row. */
export function written({ table, key, before, after }: WorldChange): string {
  const columns = Object.keys(after ?? before ?? {}).filter((name) => name !== 'world_id' && name !== 'version' && (before === null || after === null || JSON.stringify(before[name]) !== JSON.stringify(after[name])));
  const texts = columns.map((name) => (before !== null && after !== null ? `${name} ${JSON.stringify(before[name])} -> ${JSON.stringify(after[name])}` : `${name} ${JSON.stringify((after ?? before)?.[name])}`));
  const version = after === null ? 'deleted' : `version ${String(after['version'])}`;
  return `${table}/${key} ${before === null ? 'inserted' : version}${texts.length === 0 ? '' : `: ${texts.join(', ')}`}`;
}
