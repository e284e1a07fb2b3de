/** Worker processes to kill, on the run's Temporal and a database of their own; and what an episode leaves behind, as it can be compared with another's. */
import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import type { Client } from '@temporalio/client';
import { startWorkerProcess, type WorkerProcess, type WorkerProcessOptions } from '../../cli/endure/worker-process.ts';
import { connect, startEpisode } from '../../cli/runtime/client.ts';
import { decide } from '../../cli/runtime/decide.ts';
import type { Settings } from '../../cli/runtime/settings.ts';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import { requestOf, type ApprovalRow } from '../../database/approvals.ts';
import { episodeOf } from '../../database/episodes.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';
import { testTemporal } from '../support/temporal.ts';

/** Servers, a client, and the workers that were started, all of which `close` ends. */
export type Chaos = {
  readonly settings: Settings;
  readonly client: Client;
  readonly database: TestDatabase;
  worker(options?: Omit<WorkerProcessOptions, 'settings'>): Promise<WorkerProcess>;
  start(episodeId: string, input?: EpisodeInputGiven): Promise<void>;
  close(): Promise<void>;
};

/** Opens it: call it in `beforeAll`. `ollamaHost`: what the workers ask. */
export async function openChaos(ollamaHost = ''): Promise<Chaos> {
  const [temporal, database] = await Promise.all([testTemporal(), testDatabase()]);
  const queuePrefix = `chaos-${randomBytes(4).toString('hex')}`;
  const settings: Settings = { temporalAddress: temporal.address, temporalNamespace: temporal.namespace, databaseUrl: database.ownerUrl, ollamaHost, queuePrefix };
  const own = await connect(settings);
  const workers: WorkerProcess[] = [];
  return {
    settings, database, client: own.client,
    worker: async (options = {}) => {
      const worker = await startWorkerProcess({ settings, ...options });
      workers.push(worker);
      return worker;
    },
    start: async (episodeId, input = {}) => {
      await startEpisode(own.client, { episodeId, input: { model: 'always-act', approval: { mode: 'manual' }, windowMs: 3_600_000, ...input } }, { queuePrefix });
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await own.close();
      await database.close();
    },
  };
}

/** Ends a worker with its work in its hands, and waits until it is gone. */
export async function killWorker(worker: WorkerProcess): Promise<void> {
  worker.kill('SIGKILL');
  await worker.gone;
}

/** Waits until the episode's first step waits for a decision. */
export async function requested({ database }: Chaos, episodeId: string): Promise<ApprovalRow> {
  return vi.waitFor(async () => {
    const row = await requestOf(database.pool, `${episodeId}:1`);
    if (row === undefined) throw new Error(`${episodeId} has not asked yet.`);
    return row;
  }, { timeout: 60_000, interval: 50 });
}

/** Approves as a person would, asking again where the server did not answer while workers were down. */
export async function approve(chaos: Chaos, episodeId: string): Promise<void> {
  const { opKey, digest } = await requested(chaos, episodeId);
  await vi.waitFor(async () => {
    const result = await decide({ client: chaos.client, db: chaos.database.pool, timeoutMs: 30_000 }, episodeId, { opKey, digest, verdict: 'approve', by: 'supervisor', comment: 'seen' });
    if (result.recorded?.verdict !== 'approve') throw new Error(result.message);
  }, { timeout: 120_000, interval: 100 });
}

/** A lock on the episode's order, held by a connection of the test, so that the commit waits inside its transaction. */
export type HeldRow = {
  /** Waits until a transaction is blocked by this lock. @returns the blocked backend */
  blocks(): Promise<number>;
  release(): Promise<void>;
};

/** Takes the lock. */
export async function holdOrder({ database }: Chaos, episodeId: string): Promise<HeldRow> {
  const worldId = (await episodeOf(database.owner, episodeId))?.worldId;
  const client = await database.owner.connect();
  await client.query('begin');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid from orders.orders where world_id = $1 for update', [worldId]);
  return {
    blocks: () => vi.waitFor(async () => {
      const blocked = await database.owner.query<{ pid: number }>('select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [rows[0]?.pid]);
      if (blocked.rows[0] === undefined) throw new Error(`Nothing waits for the order of ${episodeId}.`);
      return blocked.rows[0].pid;
    }, { timeout: 60_000, interval: 20 }),
    release: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

/** Waits until a backend has ended: with it its transaction, one way or the other. */
export async function backendGone({ database }: Chaos, pid: number): Promise<void> {
  await vi.waitFor(async () => {
    const { rowCount } = await database.owner.query('select from pg_stat_activity where pid = $1', [pid]);
    if (rowCount !== 0) throw new Error(`The backend ${String(pid)} is still there.`);
  }, { timeout: 30_000, interval: 20 });
}

/** Everything that an episode left in the database, without ids, times and the number of attempts: two undisturbed runs leave the same. */
export async function leftBehind({ database }: Chaos, episodeId: string): Promise<Record<string, unknown>> {
  const { rows } = await database.owner.query<{ left: Record<string, unknown> }>(
    `select jsonb_build_object(
      'ledger', (select jsonb_agg(to_jsonb(l) - array['world_id', 'id', 'op_key', 'attempt', 'xact', 'started_at', 'approved_at', 'lock_requested_at', 'locked_at', 'at'] order by l.id)
        from holdpoint.ledger l where starts_with(l.op_key, $1 || ':')),
      'requests', (select jsonb_agg(to_jsonb(a) - array['op_key', 'world_id', 'episode_id', 'requested_at', 'expires_at', 'decided_at'])
        from holdpoint.approvals a where a.episode_id = $1),
      'opKeys', (select jsonb_agg(f.verdict) from holdpoint.ledger f where starts_with(f.op_key, $1 || ':') and f.verdict <> 'rejected'),
      'history', (select jsonb_agg(jsonb_build_object('table', h.table_name, 'epoch', h.epoch, 'actor', h.actor, 'reason', h.reason, 'ours', h.op_key = $1 || ':1',
          'row', h.new_row - array['world_id', 'label_id']) order by h.id) from holdpoint.row_history h where h.world_id = e.world_id),
      'labels', (select jsonb_agg(to_jsonb(x) - array['world_id', 'label_id'] order by x.label_id) from orders.labels x where x.world_id = e.world_id),
      'steps', (select jsonb_agg(s #- '{observation,worldId}') from jsonb_array_elements(e.steps) s),
      'outcome', e.outcome - 'ledgerId', 'score', e.score, 'faults', e.faults) as left
    from holdpoint.episodes e where e.episode_id = $1`, [episodeId]);
  if (rows[0] === undefined) throw new Error(`There is no episode ${episodeId}.`);
  return rows[0].left;
}
