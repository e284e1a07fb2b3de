/** Has the independent judge look at every world again, page by page, and keeps the worst of what it finds. */
import { judgeWorlds, type WorldJudgement } from '../../checker/judge.ts';
import type { Pool } from '../../database/pool.ts';
import { inSnapshot } from '../../database/snapshot.ts';
import { episodesIn, worldPages, type WorldRange } from '../../database/world-list.ts';
import { byWorst, leakKinds, leaksOf, type Leak, type LeakKind } from './entries.ts';

/** A world that could not be judged: never to be read as fine. */
export type UnknownWorld = { readonly worldId: string; readonly episodeId: string | null; readonly why: string };

/** `leaks` and `unknown`: the first `limit` of them. */
export type Found = {
  readonly worlds: number; readonly counts: Readonly<Record<LeakKind, number>>; readonly total: number; readonly leaks: readonly Leak[];
  readonly unknownWorlds: number; readonly unknown: readonly UnknownWorld[];
  /** What is wrong with tables, and so may hide anything in any world. */
  readonly tables: readonly string[];
};

/** How to look. `onProgress`: told the number of worlds judged so far. */
export type Looking = WorldRange & { readonly limit: number; readonly signal: AbortSignal; readonly onProgress: (done: number) => void };

/** Worlds in one snapshot: as many as the judge asks about at once. */
const worldsAtOnce = 200;

/** Reads only, with the reader's rights. @throws the signal's reason where it was aborted */
export async function findLeaks(pool: Pool, looking: Looking): Promise<Found> {
  const counts = Object.fromEntries(leakKinds.map((kind) => [kind, 0])) as Record<LeakKind, number>;
  const tables = new Set<string>();
  const unknown: UnknownWorld[] = [];
  let [leaks, worlds, unknownWorlds]: [Leak[], number, number] = [[], 0, 0];
  for await (const worldIds of worldPages(pool, looking, worldsAtOnce)) {
    looking.signal.throwIfAborted();
    const judgements = await judgePage(pool, worldIds);
    const episodes = await episodesIn(pool, worldIds);
    for (const judgement of judgements) {
      const { worldId, status, why } = judgement;
      const own = leaksOf(judgement, episodes.get(worldId));
      for (const leak of own) counts[leak.kind] += 1;
      leaks.push(...own);
      for (const finding of judgement.findings) if (finding.everywhere === true) tables.add(finding.text);
      if (status !== 'unknown') continue;
      unknownWorlds += 1;
      if (unknown.length < looking.limit) unknown.push({ worldId, episodeId: episodes.get(worldId)?.episodeId ?? null, why: why ?? 'no reason was given' });
    }
    leaks = leaks.sort(byWorst).slice(0, looking.limit);
    worlds += judgements.length;
    looking.onProgress(worlds);
  }
  return { worlds, counts, total: leakKinds.reduce((sum, kind) => sum + counts[kind], 0), leaks, unknownWorlds, unknown, tables: [...tables] };
}

/** In one snapshot, so that a world that an episode is writing to is judged as it was at one moment. */
async function judgePage(pool: Pool, worldIds: readonly string[]): Promise<readonly WorldJudgement[]> {
  const judgements = await inSnapshot(pool, (client) => judgeWorlds(client, { worldIds }));
  // A statement that fails ends its snapshot, and takes the page's other worlds with it: outside one, only the world that fails is unknown.
  const isCut = judgements.some((judgement) => judgement.status === 'unknown' && judgement.attempts.length === 0);
  return isCut ? judgeWorlds(pool, { worldIds }) : judgements;
}
