/** The facts of an episode from its history alone: those that its last activity left there, or, where it left none, the little that the events tell. */
import { z } from 'zod';
import { EpisodeFacts, type BoundaryRow } from '../../contract/episode-facts.ts';
import { EpisodeInput } from '../../contract/episode-input.ts';
import { failures, type Reason } from '../../contract/failures.ts';
import { opKeyOf } from '../../contract/names.ts';
import { CommitOutcome, ReasonSchema } from '../../contract/outcome.ts';
import type { Known } from '../../explain/explain.ts';
import { printable, UserError } from '../output.ts';
import type { ReadHistory } from '../replay/read-history.ts';
import { activitiesOf, timeOf, valueOf, type Acted } from './events.ts';

/** `event`: where the facts are; null where the events alone were read, which know less: `cannotKnow` says what. */
export type HistoryFacts = { readonly facts: Known; readonly event: string | null; readonly cannotKnow: readonly string[] };

/** @throws UserError where the history is no episode's, or its facts are not of their form */
export function factsFromHistory(read: ReadHistory): HistoryFacts {
  const { workflowType, workflowId, file } = read;
  if (workflowType !== 'episode') throw new UserError(`${printable(file)} is the history of a workflow of type ${printable(workflowType)}: only an episode can be explained.`);
  const activities = activitiesOf(read.history);
  const finished = activities.findLast((one) => one.name === 'finishEpisode');
  const kept = z.object({ facts: z.unknown().optional() }).safeParse(finished?.result).data?.facts;
  if (finished !== undefined && kept !== undefined && kept !== null) {
    const facts = EpisodeFacts.safeParse(kept);
    if (!facts.success) throw new UserError(`${printable(file)} holds facts at event ${finished.event} that are not of their form (at "${printable(facts.error.issues[0]?.path.map(String).join('.') ?? '')}"): the history was altered.`);
    if (facts.data.episodeId !== workflowId) throw new UserError(`${printable(file)} is the history of ${printable(workflowId)}, but its facts at event ${finished.event} are those of ${printable(facts.data.episodeId)}: the history was altered.`);
    return { facts: facts.data, event: finished.event, cannotKnow: ['What was said and did not stand (comments, refused decisions): the database has it, `holdpoint audit` shows it.', ...leftOut(facts.data)] };
  }
  const why = !read.ended ? 'the episode still runs' : finished === undefined ? 'nobody judged the episode' : 'an earlier version of the engine recorded it, or nobody judged it';
  return { facts: factsFromEvents(read, activities), event: null, cannotKnow: [`The history carries no facts (${why}), so without the database it cannot be known what each clause, version and epoch was found as, what raced the commit, and what any other guard would have said.`] };
}

/** What facts say of themselves that they do not have. */
export function leftOut({ changesLeftOut }: Pick<EpisodeFacts, 'changesLeftOut'>): readonly string[] {
  return changesLeftOut === undefined ? [] : [`${String(changesLeftOut)} later changes of the world are left out of the timeline.`];
}

function factsFromEvents(read: ReadHistory, activities: readonly Acted[]): Known {
  const first = read.history.events?.[0];
  const opened = z.object({ input: EpisodeInput }).safeParse(activities.find((one) => one.name === 'openEpisode')?.result).data?.input;
  const input = opened ?? EpisodeInput.safeParse(valueOf(first?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]) ?? {}).data ?? EpisodeInput.parse({});
  const leaked = z.object({ leaked: z.boolean() }).safeParse(activities.findLast((one) => one.name === 'finishEpisode')?.result).data?.leaked;
  const proposals = activities.flatMap((one) => (one.name === 'propose' ? (Proposed.safeParse(one.result).data === undefined ? [] : [one]) : []));
  return {
    episodeId: read.workflowId, caseId: input.caseId, model: input.model, seed: input.seed, guard: input.guard.kind, without: input.guard.without, startedAt: first === undefined ? '' : timeOf(first),
    proposed: {}, changes: [], steps: proposals.map((one) => stepFrom(read, one, activities)),
    // The judge's one word is in every history; the rest of what it said is not.
    judged: leaked === undefined ? null : { committed: true, unsafe: leaked, duplicates: 0, failedClauses: [], integrity: 'sound' },
  };
}

const Proposed = z.object({ kind: z.literal('act'), opKey: z.string(), digest: z.string(), tool: z.string(), proposer: z.string(), expiresAt: z.string() });
const CommitInput = z.object({ step: z.int(), decision: z.object({ verdict: z.enum(['approve', 'reject', 'edit']), by: z.string(), via: z.string() }) });
const Ended = z.object({ reason: ReasonSchema.nullable(), steps: z.int() });

function stepFrom(read: ReadHistory, proposal: Acted, activities: readonly Acted[]): BoundaryRow {
  const { opKey, digest, tool, proposer, expiresAt } = Proposed.parse(proposal.result);
  const step = Number(/:(\d{1,9})$/.exec(opKey)?.[1] ?? '1');
  const commit = activities.findLast((one) => one.name === 'commit' && CommitInput.safeParse(one.input).data?.step === step && opKeyOf(read.workflowId, step) === opKey);
  const decision = CommitInput.safeParse(commit?.input).data?.decision ?? null;
  const outcome = CommitOutcome.safeParse(stripped(commit?.result)).data ?? null;
  const ended = Ended.safeParse(valueOf(read.history.events?.at(-1)?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0])).data;
  const givenUp = ended !== undefined && commit === undefined ? (ended.steps === step ? ended.reason : 'op_key_closed') : null;
  const reason: Reason | null = outcome?.outcome === 'rejected' ? outcome.reason : givenUp;
  return {
    opKey, episodeId: read.workflowId, step, tool, digest, proposer, proposedAt: proposal.endedAt, expiresAt,
    decision: decision?.verdict ?? null, decidedAt: commit?.askedAt ?? null, decidedBy: decision === null ? null : [decision.by], identity: null, via: decision?.via ?? null,
    executionStartedAt: commit?.startedAt ?? null, lockRequestedAt: null, lockedAt: null, endedAt: commit?.endedAt ?? null,
    outcome: outcome === null ? (givenUp === null ? (decision === null ? 'waiting' : 'decided') : 'closed') : outcome.outcome === 'rejected' ? 'refused' : outcome.outcome === 'unknown' ? 'decided' : 'committed',
    reason, disposition: reason === null ? null : failures[reason].disposition, refusedBy: outcome?.outcome === 'rejected' ? (outcome.clause ?? failures[outcome.reason].kind) : null, asked: null,
    clauses: null, call: null, attempts: commit?.attempt ?? 0, epochRead: null, epochFound: null, rows: null,
    ledgerId: outcome !== null && 'ledgerId' in outcome ? outcome.ledgerId : null, closedAt: null, closedReason: null,
  };
}

/** A commit's result without what the activity adds to the outcome. */
function stripped(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(Object.entries(result).filter(([key]) => key !== 'ended'));
}
