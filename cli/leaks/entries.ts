/** What the judge found in a world as a list of leaks: one for each commit, and one for each thing that no commit accounts for. */
import type { AttemptJudgement, Finding, WorldJudgement } from '../../checker/findings.ts';
import type { Clause } from '../../contract/guard.ts';
import { guardLabel } from '../../contract/names.ts';
import type { EpisodeOfWorld } from '../../database/world-list.ts';

/** From the worst on: the books contradict the world, so that nothing about it is certain; an effect is there twice; a commit's full predicate did not hold. */
export const leakKinds = ['unexplained', 'duplicate', 'unsafe'] as const;
export type LeakKind = (typeof leakKinds)[number];

/** One leak. What is null is not known: an effect without a ledger row has no op key, and a world may have no episode. */
export type Leak = {
  readonly kind: LeakKind;
  readonly episodeId: string | null; readonly batchId: string | null; readonly caseId: string | null; readonly worldId: string;
  readonly opKey: string | null; readonly ledgerId: string | null; readonly guard: string | null;
  /** Clauses of the full predicate that did not hold just before the commit. */
  readonly clauses: readonly Clause[];
  /** Side effects beyond the first, or that do again what was done before. */
  readonly duplicates: number;
  /** In sentences, the op key left out. */
  readonly reasons: readonly string[];
};

const didNotHold: Readonly<Record<Clause, string>> = {
  status: 'the operational status did not allow it', policy: 'the policy did not allow it', integrity: 'the records contradicted each other', notApplied: 'the effect was already there',
};

/** Every leak of a world. What is wrong with a table, and so with every world, is none of one world's. */
export function leaksOf(judgement: WorldJudgement, episode: EpisodeOfWorld | undefined): Leak[] {
  const own = { episodeId: episode?.episodeId ?? null, batchId: episode?.batchId ?? null, caseId: episode?.caseId ?? null, worldId: judgement.worldId };
  const findings = judgement.findings.filter((finding) => finding.everywhere !== true);
  const keys = [...new Set(judgement.attempts.map((attempt) => attempt.opKey))].sort((a, b) => b.length - a.length);
  // An op key may begin another one, so the longest that fits is meant.
  const keyOf = ({ text }: Finding): string | undefined => keys.find((key) => text.startsWith(`${key} `) || text.startsWith(`${key}: `));
  const ofKeys = keys.flatMap((opKey) => leakOfKey(judgement.attempts.filter((attempt) => attempt.opKey === opKey), findings.filter((finding) => keyOf(finding) === opKey)).map((leak) => ({ ...own, ...leak })));
  const nobodys = findings.filter((finding) => keyOf(finding) === undefined).map(({ text }): Leak => ({ kind: 'unexplained', ...own, opKey: null, ledgerId: null, guard: null, clauses: [], duplicates: 0, reasons: [text] }));
  return [...ofKeys, ...nobodys];
}

function leakOfKey(attempts: readonly AttemptJudgement[], findings: readonly Finding[]): Omit<Leak, 'episodeId' | 'batchId' | 'caseId' | 'worldId'>[] {
  const attempt = attempts.find((one) => one.verdict === 'committed') ?? attempts.at(-1);
  if (attempt === undefined || (attempt.unsafe !== true && findings.length === 0)) return [];
  const { opKey, ledgerId, opKeyDuplicates, effectDuplicates } = attempt;
  const clauses = attempt.verdict === 'committed' ? attempt.failedClauses : [];
  const duplicates = Math.max(opKeyDuplicates, effectDuplicates);
  const explained = findings.every((finding) => duplicates > 0 && finding.proof === 'effects');
  const reasons = [
    ...(clauses.length === 0 ? [] : [`committed though ${clauses.map((clause) => didNotHold[clause]).join(' and ')}`]),
    ...(duplicates === 0 ? [] : [`${String(duplicates)} ${duplicates === 1 ? 'side effect repeats' : 'side effects repeat'} what was done before`]),
    ...findings.map(({ text }) => text.slice(opKey.length).replace(/^:? /, '')),
  ];
  return [{ kind: !explained ? 'unexplained' : duplicates > 0 ? 'duplicate' : 'unsafe', opKey, ledgerId, guard: guardLabel({ kind: attempt.guard, without: attempt.without }), clauses, duplicates, reasons }];
}

/** For sorting: the worst first, among equals the one with more repeated effects, then more clauses, then the older world. */
export function byWorst(a: Leak, b: Leak): number {
  return leakKinds.indexOf(a.kind) - leakKinds.indexOf(b.kind) || b.duplicates - a.duplicates || b.clauses.length - a.clauses.length || Number(BigInt(a.worldId) - BigInt(b.worldId));
}
