/** Temporal for tests, and a whole engine on it: workers, a client and a database, under queues of their own. */
import { randomBytes } from 'node:crypto';
import { inject, vi } from 'vitest';
import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { connect, startEpisode, type StartOptions } from '../../cli/runtime/client.ts';
import type { Settings } from '../../cli/runtime/settings.ts';
import { startWorkers, type RunningWorkers, type WorkerOptions } from '../../cli/runtime/worker.ts';
import type { Decision } from '../../contract/approval.ts';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import type { EpisodeOutcome } from '../../contract/outcome.ts';
import { episodeOf, type EpisodeRow } from '../../database/episodes.ts';
import type { episode, EpisodeProgress } from '../../workflows/index.ts';
import { startStack, type TemporalPart } from '../../stack/stack.ts';
import { testDatabase, type TestDatabase } from './postgres.ts';

/** The run's one Temporal server, in memory; the first call starts it, or uses TEMPORAL_ADDRESS. */
export async function testTemporal(): Promise<TemporalPart> {
  const { temporal } = await startStack({ parts: ['temporal'], stateDir: inject('stateDir'), temporalDb: 'memory', say: () => undefined });
  if (temporal === undefined) throw new Error('The stack has no Temporal.');
  return temporal;
}

/** An engine of one test file. */
export type Engine = {
  readonly settings: Settings;
  readonly client: Client;
  readonly database: TestDatabase;
  readonly start: StartOptions;
  /** Runs an episode to its end; the default model needs no server. */
  run(episodeId: string, input?: EpisodeInputGiven): Promise<EpisodeOutcome>;
  /** Ends the workers and starts new ones, for instance with other overrides. */
  restart(overrides?: WorkerOptions['overrides']): Promise<void>;
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
};

const noModel = (): Promise<never> => Promise.reject(new Error('This test has no model.'));

/** Starts an engine: call it in `beforeAll` and close it in `afterAll`. */
export async function testEngine(overrides: WorkerOptions['overrides'] = {}): Promise<Engine> {
  const [temporal, database] = await Promise.all([testTemporal(), testDatabase()]);
  const queuePrefix = `test-${randomBytes(4).toString('hex')}`;
  const settings: Settings = { temporalAddress: temporal.address, temporalNamespace: temporal.namespace, databaseUrl: database.ownerUrl, ollamaHost: '', queuePrefix };
  const launch = (given: WorkerOptions['overrides']): Promise<RunningWorkers> =>
    startWorkers({ settings, queues: ['commit', 'model'], proposer: noModel, graceMs: 2_000, ...(given && { overrides: given }) });
  let workers: RunningWorkers | undefined = await launch(overrides);
  const stopWorkers = async (): Promise<void> => {
    await workers?.stop();
    workers = undefined;
  };
  const own = await connect(settings);
  const start: StartOptions = { queuePrefix };
  return {
    settings, client: own.client, database, start, stopWorkers,
    run: async (episodeId, input = {}) => (await startEpisode(own.client, { episodeId, input: { model: 'always-act', ...input } }, start)).result(),
    restart: async (given) => {
      await stopWorkers();
      workers = await launch(given);
    },
    close: async () => {
      await stopWorkers();
      await own.close();
      await database.close();
    },
  };
}


/** Ledger rows of an episode by verdict: counted by SQL, not by what the engine says. */
export async function ledgerOf({ database }: Engine, episodeId: string): Promise<Record<string, number>> {
  const { rows } = await database.owner.query<{ verdict: string; n: number }>(
    `select verdict::text, count(*)::int as n from holdpoint.ledger where starts_with(op_key, $1 || ':') group by 1`, [episodeId]);
  return Object.fromEntries(rows.map((row) => [row.verdict, row.n]));
}

/** The episode's row. */
export async function episodeRow({ database }: Engine, episodeId: string): Promise<EpisodeRow> {
  const row = await episodeOf(database.owner, episodeId);
  if (row === undefined) throw new Error(`No episode ${episodeId}.`);
  return row;
}

/** Waits, without a fixed sleep, until the episode holds for a decision on this step. @returns the decision that approves what waits */
export async function held({ client }: Engine, episodeId: string, step = 1): Promise<Decision> {
  return vi.waitFor(async () => {
    const { phase, request } = await client.workflow.getHandle<typeof episode>(episodeId).query<EpisodeProgress>('progress');
    if (phase !== 'held' || request === null || request.opKey !== `${episodeId}:${String(step)}`) throw new Error(`${episodeId} is ${phase}.`);
    return { opKey: request.opKey, digest: request.digest, verdict: 'approve', by: 'supervisor', comment: '' };
  }, { timeout: 15_000, interval: 20 });
}

/** Starts an episode that waits for a person, and waits until it does. */
export async function startHeld(engine: Engine, episodeId: string, input: EpisodeInputGiven = {}): Promise<{ decision: Decision; handle: WorkflowHandleWithFirstExecutionRunId<typeof episode> }> {
  const handle = await startEpisode(engine.client, { episodeId, input: { model: 'always-act', approval: { mode: 'manual' }, ...input } }, engine.start);
  return { handle, decision: await held(engine, episodeId) };
}

/** Locks the orders of the episode's world, so that its commit waits inside its transaction until they are released. */
export async function holdOrder(engine: Engine, episodeId: string): Promise<{ release(): Promise<void> }> {
  const { worldId } = await episodeRow(engine, episodeId);
  const client = await engine.database.owner.connect();
  await client.query('begin');
  await client.query('select from orders.orders where world_id = $1 for update', [worldId]);
  return {
    release: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}
