/** Explains an episode from its facts, wherever those come from: what was decided at the commit, why that was right or a leak, and what would have stopped it. */
import type { BoundaryRow, EpisodeFacts, RowAtCommit } from '../contract/episode-facts.ts';
import type { Clause } from '../contract/guard.ts';
import { guardLabel } from '../contract/names.ts';
import { familyOf, familyWords, type Family } from './family.ts';
import { remedyOf, type Remedy } from './remedy.ts';
import { written } from './sentences.ts';
import { timelineOf, type TimelineEntry } from './timeline.ts';
import { unseenOf } from './unseen.ts';
import { brokenOf, verdictsOf, type GuardVerdict } from './verdicts.ts';

/** What an explanation needs of the facts: the world's number says nothing to anybody. */
export type Known = Omit<EpisodeFacts, 'worldId'>;

/** `leak`: committed, and unsafe or twice. `safe`: committed as it should. `blocked`: refused though every clause held. `refused`, `open`, `ended`: no effect. */
export type Verdict = 'leak' | 'safe' | 'blocked' | 'refused' | 'ended' | 'open' | 'unknown';

/** The answer to "why did this commit leak?". */
export type Explanation = {
  readonly episodeId: string; readonly caseId: string; readonly model: string; readonly guard: string;
  readonly verdict: Verdict;
  /** One sentence. */
  readonly answer: string;
  /** The step that the rest is about: the commit, else the last that was executed, else the last; null where there is none. */
  readonly step: number | null; readonly opKey: string | null; readonly tool: string | null; readonly proposed: Readonly<Record<string, unknown>> | null;
  /** Of a leak; else null. */
  readonly family: Family | null; readonly remedy: Remedy | null;
  /** Every clause at the commit's instant; null where the locks did not get that far. */
  readonly clauses: Readonly<Record<Clause, boolean>> | null;
  readonly guards: readonly GuardVerdict[];
  readonly rows: readonly RowAtCommit[];
  /** What others changed between the read and the commit, in the order of commits. */
  readonly unseen: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  /** What contradicts itself in the facts, in sentences. */
  readonly doubts: readonly string[];
};

/** Explains it. Pure: the same facts, the same answer. */
export function explain(facts: Known): Explanation {
  const own = { kind: facts.guard, without: facts.without };
  const step = stepOf(facts);
  const verdict = verdictOf(facts, step);
  const broken = step === null ? null : brokenOf(step);
  const verdicts = step === null ? [] : verdictsOf(step, own);
  const unseen = step === null ? [] : unseenOf(step, facts.changes).map((change) => `${change.at} ${change.actor}, ${change.reason}: ${written(change)}`);
  const leak = verdict === 'leak' ? { family: familyOf(broken ?? [], facts.judged?.duplicates), remedy: broken === null ? null : remedyOf(own, verdicts, broken) } : { family: null, remedy: null };
  return {
    episodeId: facts.episodeId, caseId: facts.caseId, model: facts.model, guard: guardLabel(own), verdict, answer: sentence(verdict, { step, broken, unseen, family: leak.family }),
    step: step?.step ?? null, opKey: step?.opKey ?? null, tool: step?.tool ?? null, proposed: step === null ? null : (facts.proposed[step.opKey] ?? null),
    ...leak, clauses: step?.clauses ?? null, guards: verdicts, rows: step?.rows ?? [], unseen,
    timeline: timelineOf({ times: facts.startedAt === '' ? undefined : { startedAt: facts.startedAt, endedAt: null }, outcome: null, boundary: facts.steps, said: [], changes: facts.changes, proposed: facts.proposed }),
    doubts: doubtsOf(facts, step, broken),
  };
}

/** A commit whose clauses did not all hold comes before one that was right. */
function stepOf({ steps }: Known): BoundaryRow | null {
  const commits = steps.filter((step) => step.outcome === 'committed');
  return commits.find((step) => (brokenOf(step) ?? []).length > 0) ?? commits.at(-1) ?? steps.findLast((step) => step.lockedAt !== null) ?? steps.at(-1) ?? null;
}

function verdictOf({ judged }: Known, step: BoundaryRow | null): Verdict {
  if (step === null) return 'unknown';
  const broken = brokenOf(step);
  if (step.outcome === 'waiting' || step.outcome === 'decided') return 'open';
  if (step.outcome === 'closed') return 'ended';
  if (step.outcome === 'refused') return broken?.length === 0 && (step.refusedBy === 'epoch' || step.refusedBy === 'version') ? 'blocked' : 'refused';
  if (judged !== null && judged.committed) return judged.unsafe || judged.duplicates > 0 ? 'leak' : 'safe';
  return broken === null ? 'unknown' : broken.length > 0 ? 'leak' : 'safe';
}

function sentence(verdict: Verdict, at: { step: BoundaryRow | null; broken: readonly Clause[] | null; unseen: readonly string[]; family: Family | null }): string {
  const { step, broken, unseen, family } = at;
  switch (verdict) {
    case 'leak': return `This commit leaked: ${familyWords[family ?? 'none']}${(broken ?? []).length === 0 ? '' : ` (${(broken ?? []).join(', ')} did not hold under its locks)`}. ${since(step, unseen)}`;
    case 'safe': return 'This commit was right: every clause held at its instant.';
    case 'blocked': return `Nothing leaked: the commit was refused (${step?.reason ?? 'unstated'}), though every clause held, so right work was blocked.`;
    case 'refused': return `Nothing leaked: the commit was refused (${step?.reason ?? 'unstated'})${(broken ?? []).length === 0 ? '' : `, and ${(broken ?? []).join(', ')} did not hold`}.`;
    case 'ended': return `Nothing was committed: the step was given up (${step?.reason ?? 'unstated'}).`;
    case 'open': return 'Nothing is committed: the step is still open.';
    case 'unknown': return step === null ? 'Nothing is known of any step.' : 'A commit was made; what it found is not known, so neither is whether it was right.';
  }
}

function since(step: BoundaryRow | null, unseen: readonly string[]): string {
  if (step === null || step.epochFound === null) return 'What the read did not have is not known.';
  return unseen.length === 0 ? 'Nothing had changed since the read: the call was wrong from the start.' : `The read did not have: ${unseen.join('; ')}.`;
}

/** The judge reads the row history and the commit its locked rows: where they differ, one of the two was altered or is wrong. */
function doubtsOf({ judged }: Known, step: BoundaryRow | null, broken: readonly Clause[] | null): readonly string[] {
  if (judged === null || step?.outcome !== 'committed' || broken === null) return [];
  const same = [...judged.failedClauses].sort().join(', ') === [...broken].sort().join(', ');
  return [
    ...(judged.committed ? [] : ['The judge found no commit where the steps have one.']),
    ...(same ? [] : [`The judge found broken by the row history: ${judged.failedClauses.join(', ') || 'nothing'}; the commit found under its locks: ${broken.join(', ') || 'nothing'}.`]),
    ...(judged.integrity === 'sound' ? [] : ["The world's books do not add up: `holdpoint leaks` says which proof fails."]),
  ];
}
