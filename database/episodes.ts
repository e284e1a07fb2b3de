/** Episodes as rows: what was seen, asked and answered a step, how it ended, which faults fired. */
import type { GuardKind, Clause } from '../contract/guard.ts';
import type { Observation } from '../contract/observation.ts';
import type { EpisodeOutcome } from '../contract/outcome.ts';
import type { Change } from '../contract/change.ts';
import type { Pool, Queryable } from './pool.ts';
import { inTransaction } from './transaction.ts';
import { changeIn, type Cause } from './worlds.ts';

/** What an episode is, without what became of it. */
export type EpisodeIdentity = {
  readonly episodeId: string; readonly batchId: string; readonly caseId: string; readonly model: string; readonly seed: number;
  readonly guard: GuardKind; readonly without: readonly Clause[];
  /** The op key whose commit a fork repeats; null or left out for an episode of its own. */
  readonly forkedFrom?: string | null;
};

/** One step's memory. `answer` is whatever the proposer gave: texts and digests, not secrets. `notice` is the evidence that it was given with the question. */
export type StepEntry = { readonly observation: Observation; readonly answer?: unknown; readonly block?: unknown; readonly notice?: unknown };

/** An episode as it stands. */
export type EpisodeRow = EpisodeIdentity & {
  readonly worldId: string; readonly steps: readonly StepEntry[]; readonly outcome: EpisodeOutcome | null; readonly score: unknown; readonly faults: Readonly<Record<string, number>>;
};

/** What an EpisodeRow is read from, where the table is called `e`. */
export const episodeColumns = `e.episode_id as "episodeId", e.batch_id as "batchId", e.case_id as "caseId", e.model, e.seed::int as seed, e.guard, e.without, e.world_id as "worldId",
  e.steps, e.outcome, e.score, e.faults, e.forked_from as "forkedFrom"`;

/** The episode, or undefined. */
export async function episodeOf(db: Queryable, episodeId: string): Promise<EpisodeRow | undefined> {
  const { rows } = await db.query<EpisodeRow>({ name: 'episode-of', text: `select ${episodeColumns} from holdpoint.episodes e where e.episode_id = $1`, values: [episodeId] });
  return rows[0];
}

/** Makes the episode visible with its world and first observation, once: where the row is there already, it stays, and the caller's world is forgotten. @returns whether it was new */
export async function insertEpisode(db: Queryable, identity: EpisodeIdentity, first: { worldId: string; observation: Observation; faults: Readonly<Record<string, number>> }): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'insert-episode',
    text: `insert into holdpoint.episodes (episode_id, batch_id, case_id, model, seed, guard, without, world_id, steps, faults, forked_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`,
    values: [
      identity.episodeId, identity.batchId, identity.caseId, identity.model, identity.seed, identity.guard, identity.without, first.worldId,
      JSON.stringify([{ observation: first.observation }]), JSON.stringify(first.faults), identity.forkedFrom ?? null,
    ],
  });
  return rowCount === 1;
}

/** Records that a condition really struck; the count stays at what it was set to, however often this is retried. */
export async function noteFault(db: Queryable, episodeId: string, condition: string): Promise<void> {
  await db.query(`update holdpoint.episodes set faults = faults || jsonb_build_object($2::text, 1) where episode_id = $1`, [episodeId, condition]);
}

/** Writes the end down, once: the first outcome stays. @returns the outcome that stands, or undefined where there is no such episode */
export async function recordOutcome(db: Queryable, episodeId: string, end: { outcome: EpisodeOutcome; score: unknown }): Promise<EpisodeOutcome | undefined> {
  const { rows } = await db.query<{ outcome: EpisodeOutcome }>({
    name: 'record-outcome',
    text: `update holdpoint.episodes set outcome = coalesce(outcome, $2), score = case when outcome is null then $3::jsonb else score end, ended_at = coalesce(ended_at, clock_timestamp())
     where episode_id = $1 returning outcome`,
    values: [episodeId, JSON.stringify(end.outcome), JSON.stringify(end.score ?? null)],
  });
  return rows[0]?.outcome;
}

/** How op keys were settled, by key; an open key is not in it. */
export async function settledKeys(db: Queryable, opKeys: readonly string[]): Promise<ReadonlyMap<string, { state: 'committed' | 'closed'; ledgerId: string }>> {
  const { rows } = await db.query<{ opKey: string; state: 'committed' | 'closed'; ledgerId: string }>({
    name: 'settled-keys',
    text: `select l.op_key as "opKey", l.verdict as state, l.id as "ledgerId" from holdpoint.ledger l where l.op_key = any ($1) and l.verdict <> 'rejected'`,
    values: [opKeys],
  });
  return new Map(rows.map((row) => [row.opKey, row]));
}

/** Which of these episodes have an outcome. */
export async function recordedAmong(db: Queryable, episodeIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>('select episode_id as id from holdpoint.episodes where episode_id = any ($1) and outcome is not null', [episodeIds]);
  return new Set(rows.map((row) => row.id));
}

/** Episodes without an outcome, the oldest first: running ones, and those whose workflow ended by force. */
export async function openEpisodes(db: Queryable, limit = 10_000): Promise<readonly EpisodeRow[]> {
  const { rows } = await db.query<EpisodeRow>(`select ${episodeColumns} from holdpoint.episodes e where e.outcome is null order by e.started_at limit $1`, [limit]);
  return rows;
}

/** As changeWorld, but once: a repeated or concurrent call with the same `cause.opKey` changes nothing. @returns whether this call made the change */
export async function changeWorldOnce(pool: Pool, worldId: string, what: { cause: Cause & { readonly opKey: string }; changes: readonly Change[] }): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 7))', [what.cause.opKey]);
    if (await hasChanged(client, worldId, what.cause.opKey)) return false;
    await changeIn(client, worldId, { ...what.cause, changes: what.changes });
    return true;
  });
}

/** Whether a change with this op key is in the world's history. */
export async function hasChanged(db: Queryable, worldId: string, changeOpKey: string): Promise<boolean> {
  const { rowCount } = await db.query('select from holdpoint.row_history where world_id = $1 and op_key = $2 limit 1', [worldId, changeOpKey]);
  return rowCount !== 0;
}

/** Whether a change with this op key had committed before an attempt of the episode read the world at its linearization point. */
export async function struckBefore(db: Queryable, worldId: string, changeOpKey: string): Promise<boolean> {
  const { rows } = await db.query<{ struck: boolean }>(
    `select exists (select from holdpoint.row_history h join holdpoint.ledger l on l.world_id = h.world_id
       where h.world_id = $1 and h.op_key = $2 and l.epoch_found is not null and h.epoch <= l.epoch_found) as struck`,
    [worldId, changeOpKey],
  );
  return rows[0]?.struck ?? false;
}
