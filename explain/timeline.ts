/** An episode's rows as one timeline: what happened when, by whom, in sentences. */
import type { BoundaryRow, WorldChange } from '../contract/episode-facts.ts';
import type { EpisodeOutcome } from '../contract/outcome.ts';
import type { Said } from './said.ts';
import { boundaryText, foundText, saidText, why, written } from './sentences.ts';
import { unseenOf } from './unseen.ts';

/**
 * One thing that happened. `at`: ISO 8601 by the database's clock; `who`: empty where it was the engine itself. `unseen`: a change that the read of some
 * executed step did not have and that its commit found there.
 */
export type TimelineEntry = { readonly at: string; readonly step: number | null; readonly event: string; readonly who: string; readonly text: string; readonly unseen: boolean };

/** What a timeline is made of. */
export type Audited = {
  readonly times: { readonly startedAt: string; readonly endedAt: string | null } | undefined;
  /** How it ended; null where that is not known, or not yet. */
  readonly outcome: EpisodeOutcome | null;
  readonly boundary: readonly BoundaryRow[];
  readonly said: readonly Said[];
  readonly changes: readonly WorldChange[];
  /** The frozen arguments by op key. */
  readonly proposed: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** Everything in the order of the clock; at the same millisecond, in the order in which it must have happened. */
export function timelineOf({ times, outcome, boundary, said, changes, proposed: asked }: Audited): TimelineEntry[] {
  const keys = new Set(boundary.map((row) => row.opKey));
  const unseen = new Set(boundary.flatMap((row) => unseenOf(row, changes)));
  const entries = [
    ...(times === undefined ? [] : [entry(times.startedAt, null, { event: 'opened', text: 'the world was read' })]),
    ...changes.filter((change) => change.opKey === null || !keys.has(change.opKey)).map((change) => entry(change.at, null, { event: 'world changed', who: change.actor, text: `${change.reason}: ${written(change)}`, unseen: unseen.has(change) })),
    ...boundary.flatMap((row) => proposed(row, asked[row.opKey])),
    ...said.map((one) => entry(one.at, stepOf(one.opKey), { event: one.refused === null ? one.kind : `${one.kind} refused`, who: one.person || 'somebody', text: saidText(one) })),
    ...boundary.flatMap((row) => [...decided(row), ...executed(row)]),
    ...changes.filter((change) => change.opKey !== null && keys.has(change.opKey)).map((change) => entry(change.at, stepOf(change.opKey ?? ''), { event: 'effect', who: change.actor, text: written(change) })),
    ...boundary.flatMap((row) => finished(row)),
    ...(typeof times?.endedAt !== 'string' ? [] : [entry(times.endedAt, null, { event: 'ended', text: outcome === null ? '' : endText(outcome) })]),
  ];
  return entries.map((one, index) => ({ one, index })).sort((a, b) => (a.one.at < b.one.at ? -1 : a.one.at > b.one.at ? 1 : a.index - b.index)).map(({ one }) => one);
}

function entry(at: string, step: number | null, what: { event: string; who?: string; text: string; unseen?: boolean }): TimelineEntry {
  return { at, step, event: what.event, who: what.who ?? '', text: what.text, unseen: what.unseen ?? false };
}

function proposed(row: BoundaryRow, args: Readonly<Record<string, unknown>> | undefined): TimelineEntry[] {
  if (row.proposedAt === null) return [];
  const read = (row.rows ?? []).map((one) => `${one.table}/${one.key} version ${one.read}`).join(', ');
  return [entry(row.proposedAt, row.step, { event: 'proposed', who: row.proposer ?? '', text: `${row.tool}${args === undefined ? '' : ` ${JSON.stringify(args)}`}, resting on ${read || 'rows that cannot be shown'}; an approval is good until ${row.expiresAt ?? ''}` })];
}

function decided(row: BoundaryRow): TimelineEntry[] {
  if (row.decidedAt === null || row.decision === null) return [];
  // The simulated approver's name is the engine's own word and nobody's name.
  const named = (person: string, identity: string): string => (identity === 'simulated' ? 'the simulated approver' : `${person} (${identity})`);
  const who = (row.decidedBy ?? []).map((person, index) => named(person, row.identity?.[index] ?? row.identity?.[0] ?? 'unauthenticated')).join(' and ');
  return [entry(row.decidedAt, row.step, { event: 'decided', who, text: `${row.decision} stands${row.via === null || row.via === 'auto' ? '' : `, by ${row.via}`}` })];
}

function executed(row: BoundaryRow): TimelineEntry[] {
  const started = row.executionStartedAt === null ? [] : [entry(row.executionStartedAt, row.step, { event: 'execution started', text: `${row.call ?? 'new'} call, attempt ${String(row.attempts)}` })];
  return row.lockedAt === null ? started : [...started, entry(row.lockedAt, row.step, { event: 'locked', text: `found ${foundText(row)}` })];
}

function finished(row: BoundaryRow): TimelineEntry[] {
  const verdict = row.endedAt === null || row.outcome === 'closed' ? [] : [entry(row.endedAt, row.step, { event: row.outcome, text: boundaryText(row) })];
  return row.closedAt === null ? verdict : [...verdict, entry(row.closedAt, row.step, { event: 'closed', text: `the step can never take effect any more (${why(row.closedReason)})` })];
}

function endText({ class: end, reason, steps }: EpisodeOutcome): string {
  return `${end}${reason === null ? '' : ` (${why(reason)})`} after ${String(steps)} ${steps === 1 ? 'step' : 'steps'}`;
}

function stepOf(opKey: string): number | null {
  const step = /:(\d{1,9})$/.exec(opKey)?.[1];
  return step === undefined ? null : Number(step);
}
