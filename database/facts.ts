/** What episodes saw, proposed, were allowed and found, as the tables have it. Reads only, with the reader's rights. */
import { JudgedFacts, type EpisodeFacts } from '../contract/episode-facts.ts';
import { iso } from './approvals.ts';
import { boundariesOf, changesOfWorlds } from './audit.ts';
import { episodeColumns, type EpisodeRow } from './episodes.ts';
import type { Queryable } from './pool.ts';
import { argumentsOf } from './proposed-arguments.ts';

/** The facts of an episode, also of one that runs still, or undefined where there is none of this id. */
export async function factsOf(db: Queryable, episodeId: string): Promise<EpisodeFacts | undefined> {
  const [facts] = await factsOfEpisodes(db, [episodeId]);
  return facts;
}

/**
 * The facts of a batch's episodes by their ids' order, so many at once as one set of queries reads; of no batch without an episode.
 * @param atOnce episodes in one array, 1 to 1,000
 */
export async function* factsOfBatch(db: Queryable, batchId: string, atOnce = 200): AsyncGenerator<readonly EpisodeFacts[], void, undefined> {
  for (let after = ''; ;) {
    const { rows } = await db.query<{ id: string }>('select episode_id as id from holdpoint.episodes where batch_id = $1 and episode_id > $2 order by episode_id limit $3', [batchId, after, atOnce]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield await factsOfEpisodes(db, rows.map((row) => row.id));
    after = last.id;
  }
}

/** The facts of these episodes in the order of the ids; one that there is not is left out. Four queries, however many they are. */
export async function factsOfEpisodes(db: Queryable, episodeIds: readonly string[]): Promise<readonly EpisodeFacts[]> {
  const { rows } = await db.query<EpisodeRow & { startedAt: string }>(
    `select ${episodeColumns}, ${iso('e.started_at')} as "startedAt" from holdpoint.episodes e where e.episode_id = any ($1::text[]) order by array_position($1::text[], e.episode_id)`, [episodeIds]);
  const steps = grouped(await boundariesOf(db, episodeIds), (step) => step.episodeId ?? '');
  const changes = grouped(await changesOfWorlds(db, [...new Set(rows.map((row) => row.worldId))]), (row) => row.worldId);
  const asked = grouped(await argumentsOf(db, episodeIds), (row) => row.episodeId);
  return rows.map(({ episodeId, worldId, caseId, model, seed, guard, without, startedAt, score }) => {
    const found = changes.get(worldId) ?? [];
    const leftOut = (found[0]?.ofWorld ?? 0) - found.length;
    return {
      episodeId, worldId, caseId, model, seed, guard, without: [...without], startedAt,
      proposed: Object.fromEntries((asked.get(episodeId) ?? []).map((row) => [row.opKey, row.arguments])),
      steps: steps.get(episodeId) ?? [], changes: found.map((row) => row.change), judged: judgedIn(score),
      ...(leftOut > 0 && { changesLeftOut: leftOut }),
    };
  });
}

/** Null where there is no score, or the judge could not say. */
function judgedIn(score: unknown): JudgedFacts | null {
  const { committed, unsafe, duplicates, failedClauses, integrity } = (score ?? {}) as Record<string, unknown>;
  const parsed = JudgedFacts.safeParse({ committed, unsafe, duplicates, failedClauses, integrity });
  return parsed.success ? parsed.data : null;
}

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): ReadonlyMap<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const own = groups.get(keyOf(value));
    if (own === undefined) groups.set(keyOf(value), [value]);
    else own.push(value);
  }
  return groups;
}
