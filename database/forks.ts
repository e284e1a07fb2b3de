/** Forks in the database: which commit of an episode can be tried again, and a world of its own in which the recorded changes before it are made again. */
import { iso } from './approvals.ts';
import { episodeOf, type EpisodeRow } from './episodes.ts';
import type { Pool, Queryable } from './pool.ts';
import { sqlStateOf } from './errors.ts';
import { inOneTrip } from './transaction.ts';

/** The commit attempt that a fork repeats. */
export type ForkPoint = {
  readonly opKey: string; readonly episodeId: string; readonly worldId: string; readonly step: number; readonly digest: string;
  /** The frozen proposal's canonical text. */
  readonly proposal: string;
  /** The world's epoch just before the commit, as decimal text: what others wrote up to here comes before it in the history, whatever a clock says. */
  readonly epoch: string;
};

const attempt = `select a.op_key as "opKey", a.episode_id as "episodeId", a.world_id as "worldId", coalesce(substring(a.op_key from ':(\\d{1,9})$')::int, 1) as step, a.digest, a.proposal,
    coalesce((select min(h.epoch) - 1 from holdpoint.row_history h where h.world_id = a.world_id and h.op_key = a.op_key), l.epoch_found)::text as epoch
  from holdpoint.approvals a join holdpoint.ledger l on l.op_key = a.op_key and l.world_id = a.world_id and l.verdict <> 'closed' and l.epoch_found is not null`;

/** The attempt of an op key, or undefined where there is none (any more): the one that committed, else the last that was refused. */
export async function forkPoint(db: Queryable, opKey: string): Promise<ForkPoint | undefined> {
  const { rows } = await db.query<ForkPoint>({ name: 'fork-point', text: `${attempt} where a.op_key = $1 order by l.verdict = 'committed' desc, l.id desc limit 1`, values: [opKey] });
  return rows[0];
}

/** An ended episode and its attempt, or why it cannot be forked, in one sentence. */
export type Forkable = { readonly episode: EpisodeRow; readonly point: ForkPoint } | { readonly refused: string; readonly unknown: boolean };

/** Looks for the attempt to repeat: the one that committed, else the last that was refused, of whichever step. */
export async function forkable(db: Queryable, episodeId: string): Promise<Forkable> {
  const episode = await episodeOf(db, episodeId);
  const no = (refused: string): Forkable => ({ refused, unknown: episode === undefined });
  if (episode === undefined) return no(`The database holds no episode "${episodeId}".`);
  if (episode.outcome === null) return no(`The episode "${episodeId}" has not ended: it can be forked when it has (\`holdpoint reconcile\` settles one whose workflow was ended by force).`);
  const { rows } = await db.query<ForkPoint>({ name: 'fork-point-of', text: `${attempt} where a.episode_id = $1 order by l.verdict = 'committed' desc, l.id desc limit 1`, values: [episodeId] });
  const point = rows[0];
  if (point === undefined) return no(`The episode "${episodeId}" never tried to commit (it ended as ${episode.outcome.class}): there is nothing to fork.`);
  const earlier = await committedBefore(db, point);
  return earlier === null ? { episode, point } : no(`The world of "${episodeId}" has an earlier commit (${earlier}), which a fork cannot make again: only a world's first commit can be forked.`);
}

/** The op key of a commit that the world's history has before the point, or null: made again as a mere change it would be an effect without a ledger row. */
async function committedBefore(db: Queryable, { worldId, epoch }: ForkPoint): Promise<string | null> {
  const { rows } = await db.query<{ opKey: string }>(
    `select l.op_key as "opKey" from holdpoint.ledger l where l.world_id = $1 and l.verdict = 'committed'
       and exists (select from holdpoint.row_history h where h.world_id = l.world_id and h.op_key = l.op_key and h.epoch <= $2::bigint) order by l.id limit 1`, [worldId, epoch]);
  return rows[0]?.opKey ?? null;
}

/** The two sides of a fork: world and episode of each. */
export type Fork = { readonly from: Pick<ForkPoint, 'worldId' | 'episodeId' | 'epoch'>; readonly into: { readonly worldId: string; readonly episodeId: string } };

/** Makes a world that begins as the recorded one began: the same rows under the same keys, at epoch 1. @returns its id */
export async function seedFork(pool: Pool, from: ForkPoint, into: { readonly label: string; readonly episodeId: string }): Promise<string> {
  return (await inOneTrip(pool, { name: 'seed-fork', text: 'select holdpoint.seed_fork($1, $2, $3, $4)', values: [from.worldId, into.label, from.episodeId, into.episodeId] })) ?? '';
}

/**
 * Makes every recorded transaction up to the fork's epoch again, in the recorded order, each in one of its own with its actor and reason. Safe to repeat: it goes on where
 * the world is. @throws DivergedError where the world is then not the recorded one at that epoch, row for row and version for version
 */
export async function replayBefore(pool: Pool, { from, into }: Fork): Promise<void> {
  for (let epoch = 2n; epoch <= BigInt(from.epoch); epoch += 1n) await replayEpoch(pool, { from, into }, String(epoch));
  const { rows } = await pool.query<{ rows: number; epoch: string | null }>({ name: 'fork-differs', text: differsSql, values: [from.worldId, from.epoch, into.worldId] });
  const found = rows[0];
  if (found?.rows !== 0 || found.epoch !== from.epoch) throw new DivergedError(into.worldId, from);
}

/** One recorded transaction. A change that finds other rows than the recorded one did (SQLSTATE P0002) meets another world. */
async function replayEpoch(pool: Pool, { from, into }: Fork, epoch: string): Promise<void> {
  const query = { name: 'replay-epoch', text: 'select holdpoint.replay_epoch($1, $2, $3, $4, $5)', values: [from.worldId, into.worldId, epoch, from.episodeId, into.episodeId] };
  await inOneTrip(pool, query).catch((error: unknown) => { throw sqlStateOf(error) === 'P0002' ? new DivergedError(into.worldId, from, { cause: error }) : error; });
}

/** A fork's world is not the recorded one: somebody else wrote to it. */
export class DivergedError extends Error {
  override name = 'DivergedError';
  readonly reason = 'malformed_input';
  constructor(worldId: string, from: Fork['from'], options?: ErrorOptions) {
    super(`World ${worldId} is not what world ${from.worldId} was at epoch ${from.epoch}: something else wrote to the fork, or the recorded history has gone. Fork again.`, options);
  }
}

// An image that is older than a column of its table has less in it than its copy: the copy must hold all that the image says.
const differsSql = `
  with was as (select distinct on (h.table_name, h.key) h.table_name, h.key, h.new_row - 'world_id' as row from holdpoint.row_history h where h.world_id = $1 and h.epoch <= $2::bigint order by h.table_name, h.key, h.id desc),
    is_now as (select distinct on (h.table_name, h.key) h.table_name, h.key, h.new_row - 'world_id' as row from holdpoint.row_history h where h.world_id = $3 order by h.table_name, h.key, h.id desc)
  select count(*) filter (where not coalesce(is_now.row @> was.row, was.row is null and is_now.row is null))::int as rows, (select e.epoch::text from holdpoint.epochs e where e.world_id = $3) as epoch
  from was full join is_now using (table_name, key)`;

/** One transaction that somebody else committed to the recorded world, and whether it comes before the commit. Tables are named once. */
export type OthersWrite = { readonly epoch: string; readonly at: string; readonly actor: string; readonly reason: string; readonly rows: readonly string[]; readonly before: boolean };

/** What others wrote to the recorded world after it was seeded, in the order of the history; at most the first 1,000 transactions. */
export async function othersWrites(db: Queryable, { worldId, opKey, epoch }: ForkPoint): Promise<readonly OthersWrite[]> {
  const { rows } = await db.query<OthersWrite>(
    `select h.epoch::text, ${iso('min(h.at)')} as at, min(h.actor) as actor, min(h.reason) as reason, array_agg(distinct h.table_name || '/' || h.key) as rows, h.epoch <= $3::bigint as before
     from holdpoint.row_history h where h.world_id = $1 and h.epoch > 1 and h.op_key is distinct from $2 group by h.epoch order by h.epoch limit 1000`, [worldId, opKey, epoch]);
  return rows;
}
