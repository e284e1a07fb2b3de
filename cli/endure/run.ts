/** The test of endurance itself: start, hold, kill, restart, approve, count. */
import type { Client } from '@temporalio/client';
import { pendingRequests, type ApprovalRow } from '../../database/approvals.ts';
import { say, UserError } from '../output.ts';
import { connect, startEpisode } from '../runtime/client.ts';
import { decide } from '../runtime/decide.ts';
import { bounded, until } from './bounded.ts';
import { countLedger, historyEvents } from './count.ts';
import { withLab, type Lab } from './lab.ts';
import { residentMb } from './rss.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

/** How many episodes, and what interrupts them. */
export type EndureOptions = { readonly episodes: number; readonly signal: AbortSignal; readonly quiet?: boolean };

/** What was seen. Seconds of each stretch by itself; memory is the most that was seen at the ends of the stretches. */
export type EndureResult = {
  readonly episodes: number;
  readonly held: number;
  readonly ledgerRows: number;
  /** Op keys with more than one final row, and effects that an op key made more than once. */
  readonly duplicates: number;
  readonly startedS: number;
  readonly heldS: number;
  readonly restartS: number;
  readonly finishedS: number;
  readonly workerRssMb: number;
  readonly serverRssMb: number;
  readonly historyEvents: { readonly median: number; readonly max: number };
  /** One sentence for each thing that is not as it must be. */
  readonly shortcomings: readonly string[];
};

const batchId = 'endure';
/** The window of approval: nothing may expire while machines restart. */
const windowMs = 24 * 3_600_000;
/** Calls of clients at once. */
const most = 40;

/** Runs it on servers of its own. The worker is a process of its own; both it and Temporal are ended by SIGKILL while all episodes wait. */
export async function endure(options: EndureOptions): Promise<EndureResult> {
  const { episodes, signal } = options;
  return withLab({ name: 'endure', signal, quiet: options.quiet ?? false }, async (lab) => {
    const memory = { worker: 0, server: 0 };
    const look = async (worker: WorkerProcess): Promise<void> => {
      memory.worker = Math.max(memory.worker, await residentMb(worker.pid));
      memory.server = Math.max(memory.server, await residentMb(lab.temporal.pid));
    };
    let worker = await startWorkerProcess({ settings: lab.settings });
    try {
      const { startedS, heldS, held } = await hold(lab, options);
      await look(worker);
      if (options.quiet !== true) say(`${String(held)} are held: killing the worker and Temporal.`);
      const fromMs = performance.now();
      worker.kill('SIGKILL');
      lab.temporal.kill('SIGKILL');
      await worker.gone;
      await lab.temporal.restart();
      worker = await startWorkerProcess({ settings: lab.settings });
      const restartS = secondsSince(fromMs);
      const finishing = await finish(lab, options);
      await look(worker);
      const result = {
        episodes, held, ledgerRows: finishing.ledgerRows, duplicates: finishing.duplicates, startedS, heldS, restartS, finishedS: finishing.finishedS,
        workerRssMb: memory.worker, serverRssMb: memory.server, historyEvents: finishing.historyEvents,
      };
      return { ...result, shortcomings: shortcomings(result) };
    } finally {
      await worker.stop();
    }
  });
}

async function hold(lab: Lab, { episodes, signal, quiet = false }: EndureOptions): Promise<{ startedS: number; heldS: number; held: number }> {
  const connected = await connect(lab.settings);
  const { client } = connected;
  try {
    const fromMs = performance.now();
    const ids = Array.from({ length: episodes }, (_, index) => `${batchId}-${String(index)}`);
    await bounded(ids, { most, signal }, async (episodeId) => {
      await startEpisode(client, { episodeId, input: { batchId, model: 'always-act', approval: { mode: 'manual' }, windowMs } }, { queuePrefix: lab.settings.queuePrefix });
    });
    const startedS = secondsSince(fromMs);
    const count = (): Promise<number> => heldNow(client);
    await until({ what: 'held', target: episodes, count, signal, quiet });
    return { startedS, heldS: secondsSince(fromMs), held: await count() };
  } finally {
    await connected.close();
  }
}

/** By Temporal's own list: the attribute is set by the workflow when it begins to wait. */
async function heldNow(client: Client): Promise<number> {
  return (await client.workflow.count(`holdpointBatch = '${batchId}' and holdpointApproval = 'pending' and ExecutionStatus = 'Running'`)).count;
}

async function finish(lab: Lab, { episodes, signal, quiet = false }: EndureOptions): Promise<{ finishedS: number; ledgerRows: number; duplicates: number; historyEvents: { median: number; max: number } }> {
  const connected = await connect(lab.settings);
  const { client } = connected;
  try {
    const fromMs = performance.now();
    const pending = await pendingRequests(lab.owner, episodes);
    await bounded(pending, { most, signal }, (request) => approve(client, lab, request));
    await until({
      what: 'finished', target: pending.length, signal, quiet,
      count: async () => (await client.workflow.count(`holdpointBatch = '${batchId}' and ExecutionStatus = 'Completed'`)).count,
    });
    const finishedS = secondsSince(fromMs);
    return { finishedS, ...(await countLedger(lab.owner)), historyEvents: await historyEvents(client, batchId) };
  } finally {
    await connected.close();
  }
}

/** An unknown answer is asked for again: the update's id makes it the same decision. */
async function approve(client: Client, lab: Lab, { episodeId, opKey, digest }: ApprovalRow): Promise<void> {
  for (let tries = 1; tries <= 5; tries += 1) {
    const result = await decide({ client, db: lab.owner, timeoutMs: 60_000 }, episodeId, { opKey, digest, verdict: 'approve', by: 'supervisor', comment: '' });
    if (result.recorded?.verdict === 'approve') return;
    if (result.result === 'refused') throw new UserError(`${episodeId} refused its approval: ${result.message}`);
  }
  throw new UserError(`${episodeId} did not answer to its approval.`);
}

function shortcomings(result: Omit<EndureResult, 'shortcomings'>): string[] {
  const { episodes, held, ledgerRows, duplicates, historyEvents: events } = result;
  return [
    ...(held === episodes ? [] : [`${String(held)} instead of ${String(episodes)} episodes were held.`]),
    ...(ledgerRows === episodes ? [] : [`There are ${String(ledgerRows)} ledger rows instead of ${String(episodes)}.`]),
    ...(duplicates === 0 ? [] : [`${String(duplicates)} commits or effects happened more than once.`]),
    ...(events.max < 60 ? [] : [`An episode's history has ${String(events.max)} events; it must stay below 60.`]),
  ];
}

function secondsSince(fromMs: number): number {
  return Math.round((performance.now() - fromMs) / 100) / 10;
}
