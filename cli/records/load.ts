/** Reads what the database knows of a run's episodes: rows, first answers, ledger, times. */
import type { Reason } from '../../contract/failures.ts';
import type { EpisodeOutcome } from '../../contract/outcome.ts';
import type { AttemptRecord, ScoreRecord } from '../../analysis/decision.ts';
import type { Queryable } from '../../database/pool.ts';

/** The model's first answer as the episode keeps it. `refused`: it had the asked form, but could not become a proposal. */
type StoredAnswer = {
  readonly kind: 'act' | 'abstain' | 'failed';
  readonly reply?: { readonly tool?: string; readonly arguments?: Record<string, string | number>; readonly confidence?: number };
  readonly reason?: Reason;
  readonly refused?: Reason;
  readonly replyDigest?: string;
};

/** One episode's row, as much of it as the records need. */
export type LoadedEpisode = {
  readonly id: string; readonly steps: number; readonly answer: StoredAnswer | null; readonly outcome: EpisodeOutcome | null;
  readonly score: (ScoreRecord & { leaked?: boolean | null }) | null; readonly faults: Readonly<Record<string, number>>; readonly attempts: readonly AttemptRecord[];
};

/** When an episode began and ended, ISO 8601 by the database's clock. */
export type EpisodeTimes = { readonly id: string; readonly startedAt: string; readonly endedAt: string | null };

/** The run's episodes that opened a world, by id. */
export async function loadEpisodes(db: Queryable, runId: string): Promise<ReadonlyMap<string, LoadedEpisode>> {
  const { rows } = await db.query<LoadedEpisode>(
    `select e.episode_id as id, jsonb_array_length(e.steps) as steps, e.steps -> 0 -> 'answer' as answer, e.outcome, e.score, e.faults,
       coalesce((select jsonb_agg(jsonb_build_object('opKey', l.op_key, 'verdict', l.verdict, 'reason', l.reason)
           || case when l.reason = 'evidence_returned' then jsonb_build_object('told', e.steps #> '{1,notice,findings}') else '{}' end order by l.id)
         from holdpoint.ledger l where l.world_id = e.world_id and starts_with(l.op_key, e.episode_id || ':')), '[]') as attempts
     from holdpoint.episodes e where e.batch_id = $1`,
    [runId],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The times of the run's episodes, by id. */
export async function loadTimes(db: Queryable, runId: string): Promise<EpisodeTimes[]> {
  const { rows } = await db.query<EpisodeTimes>(
    `select episode_id as id, to_char(started_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "startedAt", to_char(ended_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "endedAt"
     from holdpoint.episodes where batch_id = $1 order by episode_id collate "C"`,
    [runId],
  );
  return rows;
}

/** The digests of the models that really answered the run, by name, as their frozen replies tell. */
export async function loadModelDigests(db: Queryable, runId: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ model: string; digest: string }>(
    `select e.model, min(r.model_digest) as digest from holdpoint.episodes e join holdpoint.replies r on r.reply_digest = e.steps -> 0 -> 'answer' ->> 'replyDigest'
     where e.batch_id = $1 group by 1 having count(distinct r.model_digest) = 1`,
    [runId],
  );
  return new Map(rows.map((row) => [row.model, row.digest]));
}

/** The server's version in its own words. */
export async function loadPostgresVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ server_version: string }>('show server_version');
  return rows[0]?.server_version ?? 'unknown';
}

/** How many episodes of the run have a world and no end. */
export async function countOpen(db: Queryable, runId: string): Promise<number> {
  const { rows } = await db.query<{ open: number }>('select count(*)::int as open from holdpoint.episodes where batch_id = $1 and outcome is null', [runId]);
  return rows[0]?.open ?? 0;
}
