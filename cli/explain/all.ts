/** Every leak of a batch that the checker finds, explained, and the explanations graded against what is true. */
import { judgeWorlds, type WorldJudgement } from '../../checker/judge.ts';
import type { EpisodeFacts } from '../../contract/episode-facts.ts';
import { guardLabel } from '../../contract/names.ts';
import { factsOfBatch } from '../../database/facts.ts';
import type { Queryable } from '../../database/pool.ts';
import { addCosts, costsOf, type GuardCost } from '../../explain/costs.ts';
import { explain } from '../../explain/explain.ts';
import { confusionText, gradesOf, type Graded, type Grades } from '../../explain/grade.ts';
import { costsText } from '../../explain/text.ts';
import { leaksOf as leaksOfWorld } from '../leaks/entries.ts';
import { printable } from '../output.ts';
import { truthOfLeak } from './truth.ts';

/** What `holdpoint explain --all --json` prints. `unjudged`: episodes whose world the checker could not judge, which are never to be read as fine; `whyUnjudged`: why the first was not. */
export type BatchAccount = { readonly batchId: string; readonly episodes: number;
  /** Findings that no commit accounts for, of the episodes' worlds: `holdpoint leaks` lists them. */
  readonly unexplained: number; readonly unjudged: number; readonly whyUnjudged: string | null } & Grades & { readonly guards: readonly GuardCost[] };

/** Judges anew, explains from the tables, and grades. Replays nothing. @param onProgress called with the number of episodes done so far */
export async function accountOfBatch(db: Queryable, batchId: string, onProgress: (done: number) => void = () => undefined): Promise<BatchAccount> {
  const graded: Graded[] = [];
  let [episodes, unexplained, unjudged, whyUnjudged, guards] = [0, 0, 0, null as string | null, costsOf([])];
  for await (const page of factsOfBatch(db, batchId)) {
    const judged = new Map((await judgeWorlds(db, { worldIds: page.map((facts) => facts.worldId) })).map((world) => [world.worldId, world]));
    graded.push(...page.flatMap((facts) => leaksOf(facts, judged.get(facts.worldId))));
    unexplained += [...judged.values()].reduce((sum, world) => sum + leaksOfWorld(world, undefined).filter((leak) => leak.kind === 'unexplained').length, 0);
    const unknown = page.filter((facts) => (judged.get(facts.worldId)?.status ?? 'unknown') === 'unknown');
    unjudged += unknown.length;
    whyUnjudged ??= judged.get(unknown[0]?.worldId ?? '')?.why ?? null;
    guards = addCosts(guards, costsOf(page));
    episodes += page.length;
    onProgress(episodes);
  }
  return { batchId, episodes, unexplained, unjudged, whyUnjudged, ...gradesOf(graded), guards };
}

function leaksOf(facts: EpisodeFacts, world: WorldJudgement | undefined): Graded[] {
  const own = new Set(facts.steps.map((step) => step.opKey));
  const leaks = (world?.attempts ?? []).filter((attempt) => attempt.verdict === 'committed' && attempt.unsafe === true && own.has(attempt.opKey));
  if (leaks.length === 0) return [];
  const { verdict, opKey: told, family, clauses } = explain(facts);
  return leaks.map(({ opKey, failedClauses, opKeyDuplicates, effectDuplicates }) => ({
    episodeId: facts.episodeId, opKey, guard: guardLabel({ kind: facts.guard, without: facts.without }),
    ...truthOfLeak(facts, { opKey, failedClauses, duplicates: Math.max(opKeyDuplicates, effectDuplicates) }),
    told: verdict === 'leak' && told === opKey && family !== null && clauses !== null ? { family, clauses: (Object.keys(clauses) as (keyof typeof clauses)[]).filter((clause) => !clauses[clause]) } : null,
  }));
}

/** For people: the counts, both confusion tables, and the guards' costs. */
export function batchText(account: BatchAccount): string {
  const { batchId, episodes, unexplained, unjudged, whyUnjudged, leaks, explained, correct, ofScenario, families, clauses, guards } = account;
  return [
    `Batch ${printable(batchId)}: ${String(episodes)} episodes, ${String(leaks)} leaks, ${String(explained)} explained, ${String(correct)} correctly (${String(ofScenario)} of them against the scenario's hidden truth).`,
    ...(unexplained === 0 ? [] : [`The books do not add up in ${String(unexplained)} places that no commit accounts for: \`holdpoint leaks --batch ${printable(batchId)}\` lists them, and the counts below rest on rows that may have been altered.`]),
    ...(unjudged === 0 ? [] : [`${String(unjudged)} episodes could not be judged (${printable(whyUnjudged ?? 'it is not known why')}): nothing is said of them.`]),
    ...(leaks === 0 ? [] : ['', confusionText('true family / told', families), '', confusionText('true clauses / told', clauses)]),
    '', 'What each guard would have cost, and stopped', costsText(guards),
  ].join('\n');
}
