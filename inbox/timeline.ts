/** The history of one episode as one line: asked, said, refused, changed by others, tried, ended. */
import { failures, isReason } from '../contract/failures.ts';
import { simulatedApprover } from '../contract/names.ts';
import { Proposal } from '../contract/proposal.ts';
import { requestsOfEpisode, type ApprovalRow } from '../database/approvals.ts';
import { decisionsOf, type DecisionRow } from '../database/decisions.ts';
import { episodeOf } from '../database/episodes.ts';
import { ledgerOf } from '../database/ledger.ts';
import { changesSince, type WorldChange } from '../database/look.ts';
import { refusalsOf, type RawRefusal } from '../database/refusals.ts';
import type { LedgerRow } from '../contract/ledger-row.ts';
import type { Bearer } from './bearer.ts';
import type { InboxParts, TimelineEntry } from './types.ts';

/** Undefined where there is no such episode, or the token was not made for its tools. */
export async function timelineOf(parts: InboxParts, { tools, episodeId }: Bearer & { readonly episodeId: string }): Promise<Record<string, unknown> | undefined> {
  const { pool } = parts;
  const requests = await requestsOfEpisode(pool, episodeId);
  const first = requests.at(-1);
  if (first === undefined || (tools !== null && requests.some((request) => !tools.includes(request.tool)))) return undefined;
  const [said, refusals, ledger, changes, episode] = await Promise.all([
    decisionsOf(pool, { episodeId }), refusalsOf(pool, { episodeId }), ledgerOf(pool, { worldId: first.worldId }),
    changesSince(pool, first.worldId, Proposal.parse(JSON.parse(first.proposal))), episodeOf(pool, episodeId),
  ]);
  const steps = new Set(requests.map((request) => request.opKey));
  const entries = [
    ...requests.flatMap(ofRequest), ...said.map(ofDecision), ...refusals.map(ofRefusal), ...changes.map(ofChange), ...ledger.filter((row) => steps.has(row.opKey)).map(ofAttempt),
  ].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return { episodeId, entries, outcome: episode?.outcome ?? null, latest: requests[0]?.opKey ?? null, link: parts.episodeLink(episodeId) };
}

const why = (reason: string | null): string => (reason === null ? '' : `${reason}${isReason(reason) ? `: ${failures[reason].sentence}` : ''}`);

function ofRequest(row: ApprovalRow): TimelineEntry[] {
  const { arguments: args, readSet } = Proposal.parse(JSON.parse(row.proposal));
  const read = readSet.map(({ table, key, version }) => `${table} ${key} version ${version}`).join(', ');
  const asked: TimelineEntry = { at: row.requestedAt, what: `proposed ${row.tool}`, who: row.proposer, detail: `${JSON.stringify(args)}; read: ${read}; until ${row.expiresAt}`, tone: 'asked' };
  if (row.decidedAt === null || row.verdict === null) return [asked];
  // A decision with ids is told by the decisions themselves; what has none came through a door that proves nothing, or from the engine.
  if (row.decisionIds !== null) return [asked];
  const isEngine = row.verdict === 'expired' || row.verdict === 'cancelled';
  return [asked, {
    at: row.decidedAt, what: isEngine ? row.verdict : `${row.verdict}, ${row.via === 'auto' ? 'simulated' : 'unauthenticated'}`, who: row.decidedBy === simulatedApprover ? 'nobody' : (row.decidedBy ?? ''), detail: [`through ${row.via ?? 'the engine'}`, row.comment].filter(Boolean).join('; '),
    tone: isEngine ? 'ended' : 'said',
  }];
}

function ofDecision(row: DecisionRow): TimelineEntry {
  const about = [row.comment, row.arguments, row.assignedTo === null ? null : `to ${row.assignedTo}`, `through ${row.via}, ${row.identity === '' ? 'not authenticated' : row.identity}`];
  return {
    at: row.at, what: row.kind === 'remind' ? 'reminder' : row.refused === null ? row.kind : `${row.kind}, refused`, who: row.person === '' ? 'somebody unknown' : row.person,
    detail: [row.refused === null ? null : why(row.refused), ...about].filter(Boolean).join('; '), tone: row.refused === null ? 'said' : 'refused',
  };
}

function ofRefusal(row: RawRefusal): TimelineEntry {
  return { at: row.at, what: `${row.verdict}, unauthenticated, refused`, who: row.by, detail: `${why(row.reason)}; through ${row.via}`, tone: 'refused' };
}

function ofChange(change: WorldChange): TimelineEntry {
  const columns = change.columns.map(({ column, before, after }) => `${column} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`).join(', ');
  return { at: change.at, what: `${change.table} ${change.key} written`, who: change.actor, detail: `${columns === '' ? 'a row beside it' : columns} (${change.reason})`, tone: 'changed' };
}

function ofAttempt(row: LedgerRow): TimelineEntry {
  const versions = row.lockedAt === null ? '' : `versions read ${row.versionsRead.join(', ')}, found ${row.versionsFound.map((version) => version ?? 'none').join(', ')}`;
  return {
    at: row.lockedAt ?? row.at, what: row.verdict === 'committed' ? 'committed' : row.verdict === 'closed' ? 'step closed' : 'commit refused', who: `attempt ${String(row.attempt)}, guard ${row.guard}`,
    detail: [why(row.reason), versions].filter(Boolean).join('; '), tone: row.verdict === 'committed' ? 'committed' : row.verdict === 'closed' ? 'ended' : 'refused',
  };
}
