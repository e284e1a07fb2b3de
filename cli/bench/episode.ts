/** The episode half of the bench: an episode with a canned model against a bare workflow of three activities and one update, in one run on one stack. */
import type { Lab } from '../endure/lab.ts';
import { runBare, runEpisode, runScored, type Bench } from './episode-runs.ts';
import { withBench, workerSettings } from './episode-workers.ts';
import { median, percentile, rounded } from './statistics.ts';

/** How much. `pairs`: episodes one at a time, each next to a bare one. `atOnce`: episodes in a burst; `bursts` of each kind, interleaved. */
export type EpisodeSizes = { readonly warmUp: number; readonly pairs: number; readonly atOnce: number; readonly bursts: number };
export const episodeSizes: { readonly full: EpisodeSizes; readonly quick: EpisodeSizes } = {
  full: { warmUp: 40, pairs: 150, atOnce: 300, bursts: 4 }, quick: { warmUp: 5, pairs: 10, atOnce: 20, bursts: 1 },
};

/** What was measured: milliseconds from start to result one at a time, and workflows a second in bursts, as medians. */
export type EpisodeBench = {
  readonly episode: {
    readonly bareTemporalMs: number; readonly holdpointMs: number; readonly ratio: number; readonly barePerS: number; readonly perS: number;
    /** The same with the judge on, as experiments run. */
    readonly scoredMs: number; readonly scoredPerS: number;
    /** History events of one workflow of each kind. */
    readonly events: { readonly bare: number; readonly holdpoint: number };
    /** Updates that came before the workflow waited, and were sent again, both kinds together. */
    readonly refusedUpdates: number;
  };
  /** From the update's acceptance, as its history event has it, to the ledger row's own time, episodes one at a time. Both clocks are this machine's. */
  readonly approvalToCommitMs: { readonly p50: number; readonly p99: number };
  readonly episodeSettings: EpisodeSizes & typeof workerSettings;
};

const kinds = { bare: runBare, holdpoint: runEpisode, scored: runScored } as const;
type Kind = keyof typeof kinds;
const allKinds: readonly Kind[] = ['bare', 'holdpoint', 'scored'];

/** A figure a run, by kind. */
type Figures = Readonly<Record<Kind, number[]>>;

/** Measures on the laboratory's servers. */
export async function benchEpisode(lab: Lab, sizes: EpisodeSizes, options: { signal: AbortSignal; say: (line: string) => void }): Promise<EpisodeBench> {
  return withBench(lab, async (bench) => {
    const singleMs = await oneAtATime(bench, sizes, options);
    const ids = Array.from({ length: sizes.pairs }, (_, index) => `holdpoint-${String(index)}`);
    const approvalToCommit = await approvalToCommitMs(bench, lab, ids);
    const burstPerS = await inBursts(bench, sizes, options);
    const ms = (kind: Kind): number => rounded(median(singleMs[kind]), 1);
    const perS = (kind: Kind): number => rounded(median(burstPerS[kind]), 1);
    const events = { bare: await eventsOf(bench, 'bare-0'), holdpoint: await eventsOf(bench, 'holdpoint-0') };
    return {
      episode: {
        bareTemporalMs: ms('bare'), holdpointMs: ms('holdpoint'), ratio: rounded(median(singleMs.holdpoint) / median(singleMs.bare), 2),
        barePerS: perS('bare'), perS: perS('holdpoint'), scoredMs: ms('scored'), scoredPerS: perS('scored'), events, refusedUpdates: bench.refused,
      },
      approvalToCommitMs: { p50: rounded(percentile(approvalToCommit, 50), 1), p99: rounded(percentile(approvalToCommit, 99), 1) },
      episodeSettings: { ...sizes, ...workerSettings },
    };
  });
}

async function oneAtATime(bench: Bench, sizes: EpisodeSizes, { signal, say }: { signal: AbortSignal; say: (line: string) => void }): Promise<Figures> {
  const found: Figures = { bare: [], holdpoint: [], scored: [] };
  for (let round = -sizes.warmUp; round < sizes.pairs; round += 1) {
    if (round === 0) say(`Warmed up; now ${String(sizes.pairs)} of each kind, one at a time.`);
    // The order turns with the rounds, so that no kind always comes first.
    for (let turn = 0; turn < allKinds.length; turn += 1) {
      signal.throwIfAborted();
      const kind = allKinds[(turn + round + sizes.warmUp) % allKinds.length] ?? 'bare';
      const ms = await kinds[kind](bench, `${kind}-${String(round)}`);
      if (round >= 0) found[kind].push(ms);
    }
  }
  return found;
}

/** Bursts of the kinds in turn; the first of each is warm-up and counts only where it is the only one. */
async function inBursts(bench: Bench, sizes: EpisodeSizes, { signal, say }: { signal: AbortSignal; say: (line: string) => void }): Promise<Figures> {
  const found: Figures = { bare: [], holdpoint: [], scored: [] };
  for (let burst = 0; burst < sizes.bursts; burst += 1)
    for (const kind of allKinds) {
      signal.throwIfAborted();
      const fromMs = performance.now();
      await Promise.all(Array.from({ length: sizes.atOnce }, (_, index) => kinds[kind](bench, `${kind}-burst-${String(burst)}-${String(index)}`)));
      const rate = (sizes.atOnce * 1000) / (performance.now() - fromMs);
      say(`${kind}: ${String(sizes.atOnce)} at once, ${String(rounded(rate, 1))} a second`);
      if (burst > 0 || sizes.bursts === 1) found[kind].push(rate);
    }
  return found;
}

async function eventsOf(bench: Bench, workflowId: string): Promise<number> {
  return (await bench.client.workflow.getHandle(workflowId).describe()).historyLength;
}

async function approvalToCommitMs(bench: Bench, lab: Lab, episodeIds: readonly string[]): Promise<number[]> {
  const { rows } = await lab.owner.query<{ episodeId: string; atMs: number }>(
    `select a.episode_id as "episodeId", (extract(epoch from l.at) * 1000)::float8 as "atMs" from holdpoint.ledger l join holdpoint.approvals a using (op_key)
     where a.episode_id = any ($1) and l.verdict = 'committed'`, [episodeIds]);
  const found: number[] = [];
  for (const { episodeId, atMs } of rows) {
    const { events } = await bench.client.workflow.getHandle(episodeId).fetchHistory();
    const accepted = events?.find((event) => event.workflowExecutionUpdateAcceptedEventAttributes)?.eventTime;
    if (accepted?.seconds !== undefined && accepted.seconds !== null) found.push(atMs - (Number(accepted.seconds) * 1000 + (accepted.nanos ?? 0) / 1e6));
  }
  return found;
}
