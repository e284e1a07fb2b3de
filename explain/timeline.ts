/** An episode's rows as one timeline: what happened when, by whom, in sentences. */
import type { BoundaryRow, WorldChange } from '../contract/episode-facts.ts';
import { unseenOf } from './unseen.ts';

/**
 * One thing that happened. `at`: ISO 8601 by the database's clock; `who`: empty where it was the engine itself. `unseen`: a change that the read of some
 * executed step did not have and that its commit found there.
 */
export type TimelineEntry = { readonly at: string; readonly step: number | null; readonly event: string; readonly who: string; readonly text: string; readonly unseen: boolean };

/** One thing that somebody said about a step; `refused`: why it did not count. Facts do not have them: what stood in the end is in the boundary. */
export type Said = {
  readonly at: string; readonly opKey: string; readonly kind: string; readonly person: string; readonly identity: string; readonly via: string; readonly comment: string;
  readonly arguments: string | null; readonly assignedTo: string | null; readonly refused: string | null;
};

/** What a timeline is made of. */
export type Audited = {
  readonly times: { readonly startedAt: string; readonly endedAt: string | null } | undefined;
  readonly ended: string | null;
  readonly boundary: readonly BoundaryRow[];
  readonly said: readonly Said[];
  readonly changes: readonly WorldChange[];
};

/** Everything in the order of the clock; at the same millisecond, in the order in which it must have happened. */
export function timelineOf({ times, ended, boundary, said, changes }: Audited): TimelineEntry[] {
  const keys = new Set(boundary.map((row) => row.opKey));
  const unseen = new Set(boundary.flatMap((row) => unseenOf(row, changes)));
  const entries = [
    ...(times === undefined ? [] : [entry(times.startedAt, null, { event: 'opened', text: 'the world was read' })]),
    ...changes.filter((change) => change.opKey === null || !keys.has(change.opKey)).map((change) => entry(change.at, null, { event: 'world changed', who: change.actor, text: `${change.reason}: ${written(change)}`, unseen: unseen.has(change) })),
    ...boundary.flatMap((row) => proposed(row)),
    ...said.map((one) => entry(one.at, stepOf(one.opKey), { event: one.refused === null ? one.kind : `${one.kind} refused`, who: one.person || 'somebody', text: saidText(one) })),
    ...boundary.flatMap((row) => [...decided(row), ...executed(row)]),
    ...changes.filter((change) => change.opKey !== null && keys.has(change.opKey)).map((change) => entry(change.at, stepOf(change.opKey ?? ''), { event: 'effect', who: change.actor, text: written(change) })),
    ...boundary.flatMap((row) => finished(row)),
    ...(typeof times?.endedAt !== 'string' ? [] : [entry(times.endedAt, null, { event: 'ended', text: ended ?? '' })]),
  ];
  return entries.map((one, index) => ({ one, index })).sort((a, b) => (a.one.at < b.one.at ? -1 : a.one.at > b.one.at ? 1 : a.index - b.index)).map(({ one }) => one);
}

function entry(at: string, step: number | null, what: { event: string; who?: string; text: string; unseen?: boolean }): TimelineEntry {
  return { at, step, event: what.event, who: what.who ?? '', text: what.text, unseen: what.unseen ?? false };
}

function proposed(row: BoundaryRow): TimelineEntry[] {
  if (row.proposedAt === null) return [];
  const read = (row.rows ?? []).map((one) => `${one.table}/${one.key} version ${one.read}`).join(', ');
  return [entry(row.proposedAt, row.step, { event: 'proposed', who: row.proposer ?? '', text: `${row.tool}, resting on ${read || 'rows that cannot be shown'}; an approval is good until ${row.expiresAt ?? ''}` })];
}

function decided(row: BoundaryRow): TimelineEntry[] {
  if (row.decidedAt === null || row.decision === null) return [];
  const who = (row.decidedBy ?? []).map((person, index) => `${person} (${row.identity?.[index] ?? row.identity?.[0] ?? 'unauthenticated'})`).join(' and ');
  return [entry(row.decidedAt, row.step, { event: 'decided', who, text: `${row.decision} stands${row.via === null ? '' : `, by ${row.via}`}` })];
}

function executed(row: BoundaryRow): TimelineEntry[] {
  const started = row.executionStartedAt === null ? [] : [entry(row.executionStartedAt, row.step, { event: 'execution started', text: `${row.call ?? 'new'} call, attempt ${String(row.attempts)}` })];
  return row.lockedAt === null ? started : [...started, entry(row.lockedAt, row.step, { event: 'locked', text: `found ${foundText(row)}` })];
}

function finished(row: BoundaryRow): TimelineEntry[] {
  const verdict = row.endedAt === null || row.outcome === 'closed' ? [] : [entry(row.endedAt, row.step, { event: row.outcome, text: boundaryText(row) })];
  return row.closedAt === null ? verdict : [...verdict, entry(row.closedAt, row.step, { event: 'closed', text: `the step can never take effect any more (${row.closedReason ?? 'unstated'})` })];
}

/** Each row of the read set with the version that was found, and the one that was read where it is another. */
export function foundText(row: BoundaryRow): string {
  return (row.rows ?? []).map((one) => `${one.table}/${one.key} version ${one.found ?? 'none'}${one.found === one.read ? '' : `, read at ${one.read}`}`).join('; ');
}

/** Which precondition let it through or refused it, in one sentence. */
export function boundaryText(row: BoundaryRow): string {
  if (row.outcome === 'committed') return `let through: ${['approval', ...(row.asked ?? [])].join(', ')} held; ${row.disposition ?? ''}`;
  if (row.outcome === 'refused') return `refused by ${row.refusedBy ?? 'nothing known'} (${row.reason ?? 'unstated'}); ${row.disposition ?? ''}`;
  return row.outcome === 'closed' ? `given up before a commit (${row.reason ?? 'unstated'}); ${row.disposition ?? ''}` : row.outcome;
}

function saidText(one: Said): string {
  const how = one.identity === '' ? 'no token that is in force' : one.identity;
  const more = [one.assignedTo === null ? '' : `to ${one.assignedTo}`, one.arguments ?? '', one.comment === '' ? '' : `"${one.comment}"`].filter((text) => text !== '').join(', ');
  return `${how}, by ${one.via}${more === '' ? '' : `: ${more}`}${one.refused === null ? '' : `; ${one.refused}`}`;
}

/** What a change did to its row: columns with both values, or those of a new row. */
export function written({ table, key, before, after }: WorldChange): string {
  const columns = Object.keys(after ?? before ?? {}).filter((name) => name !== 'world_id' && name !== 'version' && (before === null || after === null || JSON.stringify(before[name]) !== JSON.stringify(after[name])));
  const texts = columns.map((name) => (before !== null && after !== null ? `${name} ${JSON.stringify(before[name])} -> ${JSON.stringify(after[name])}` : `${name} ${JSON.stringify((after ?? before)?.[name])}`));
  const version = after === null ? 'deleted' : `version ${String(after['version'])}`;
  return `${table}/${key} ${before === null ? 'inserted' : version}${texts.length === 0 ? '' : `: ${texts.join(', ')}`}`;
}

function stepOf(opKey: string): number | null {
  const step = /:(\d{1,9})$/.exec(opKey)?.[1];
  return step === undefined ? null : Number(step);
}
