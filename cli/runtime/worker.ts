/** Composes workers of either queue from connections, activities and the bundle, and ends them within a grace time. */
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime, Worker, type ActivityInterceptorsFactory, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { createActivities, type ActivityDependencies, type Activities, type Proposer } from '../../activities/index.ts';
import type { ProposeActivityRequest } from '../../activities/types.ts';
import { openCutLine } from '../../database/cut-at-commit.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { designCells, designs } from '../../scenarios/design.ts';
import { printable, say, UserError } from '../output.ts';
import { beating } from './beating.ts';
import { workflowBundle } from './bundle.ts';
import { requireMigrated } from './migrated.ts';
import { ollamaProposer } from './proposer.ts';
import { scoreWith } from './score.ts';
import { queueNames, type Settings } from './settings.ts';
import { stopAtInterceptors } from './stop-at.ts';

/** Which queues a worker serves, and how much at once. */
export type WorkerOptions = {
  readonly settings: Settings;
  readonly queues: readonly ('model' | 'commit')[];
  /** Who is asked for proposals. Default: the Ollama server of the settings. */
  readonly proposer?: Proposer;
  /** Database activities at once, and the pool's size. Default 16. */
  readonly commitSlots?: number;
  /** Questions to models at once. Default 1: on one machine that is fastest, and the only number at which a seed gives the same reply again. */
  readonly modelSlots?: number;
  /** Workflows kept in memory; the others are replayed when they go on. Default 150: more costs memory and gains nothing. */
  readonly maxCachedWorkflows?: number;
  /** How long a stop waits for activities to end. Default 10,000. */
  readonly graceMs?: number;
  /** For tests. */
  readonly overrides?: Partial<ActivityDependencies>;
  readonly bundle?: WorkflowBundleWithSourceMap;
  /** For measurements: sees every activity. Default: the test hook HOLDPOINT_STOP_AT, where it is set. */
  readonly interceptors?: ActivityInterceptorsFactory[];
};

/** Workers that run until they are stopped. */
export type RunningWorkers = {
  /** The workers' own line to Temporal: a client made on it can start workflows eagerly. */
  readonly connection: NativeConnection;
  readonly pool: Pool;
  /** Rejects if a worker failed by itself. */
  readonly done: Promise<void>;
  /** Takes no more tasks, lets activities end within the grace time, then closes the lines. */
  stop(): Promise<void>;
};

let quiet = false;

/** Temporal logs to our standard error, and only what is broken: failed activities are expected, recorded, and seen in the UI. Once a process, before the first worker. */
function installRuntime(): void {
  if (quiet) return;
  quiet = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR', ({ level, message, meta }) => { say(printable(`${level.toLowerCase()}: ${message} ${JSON.stringify(meta?.['error'] ?? '', errorText)}`, 2_000)); }),
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } }, // forwarded: the core alone would write to standard output, which holds the result
    shutdownSignals: [], // the command decides how to end
  });
}

function errorText(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}

/** Starts the workers. @throws UserError where the database cannot be reached or is not migrated, or Temporal does not answer */
export async function startWorkers(options: WorkerOptions): Promise<RunningWorkers> {
  const { settings } = options;
  const slots = options.commitSlots ?? 16;
  installRuntime();
  const url = roleUrl(settings.databaseUrl, 'holdpoint_worker');
  const pool = createPool({ url, max: slots + 4, name: 'holdpoint-worker' });
  try {
    await requireMigrated(settings.databaseUrl);
    const connection = await NativeConnection.connect({ address: settings.temporalAddress }).catch(() => {
      throw new UserError(`No Temporal server answers at ${settings.temporalAddress}: start it, or set TEMPORAL_ADDRESS.`);
    });
    const activities = createActivities({
      pool, proposer: options.proposer ?? ollamaProposer(settings, pool), score: scoreWith(pool), openCutLine: () => openCutLine(url), designCells: (name) => designCells(designs[name]), ...options.overrides,
    });
    return await run(options, { connection, pool, activities });
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function run(options: WorkerOptions, parts: { connection: NativeConnection; pool: Pool; activities: Activities }): Promise<RunningWorkers> {
  const { connection, pool, activities } = parts;
  const queues = queueNames(options.settings.queuePrefix);
  const common = {
    connection, namespace: options.settings.temporalNamespace, interceptors: { activity: [beating, ...(options.interceptors ?? stopAtInterceptors())] },
    shutdownGraceTime: options.graceMs ?? 10_000, shutdownForceTime: (options.graceMs ?? 10_000) + 5_000,
  };
  const slots = options.commitSlots ?? 16;
  const workers = await Promise.all(options.queues.map(async (queue) => queue === 'model'
    ? Worker.create({ ...common, taskQueue: queues.model, activities: { propose: (request: ProposeActivityRequest) => activities.propose(request) }, maxConcurrentActivityTaskExecutions: options.modelSlots ?? 1 })
    : Worker.create({
        ...common, taskQueue: queues.commit, activities, workflowBundle: options.bundle ?? (await workflowBundle()), maxCachedWorkflows: options.maxCachedWorkflows ?? 150,
        maxConcurrentActivityTaskExecutions: slots, maxConcurrentLocalActivityExecutions: slots, maxConcurrentWorkflowTaskExecutions: 40,
      })));
  const running = workers.map((worker) => worker.run());
  let stopped: Promise<void> | undefined;
  const done = Promise.all(running).then(() => undefined);
  done.catch(() => undefined); // whoever awaits `done` or `stop` hears of it
  return {
    connection, pool, done,
    stop: () => {
      stopped ??= (async () => {
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
        await Promise.allSettled(running);
        await connection.close();
        await pool.end();
      })();
      return stopped;
    },
  };
}
