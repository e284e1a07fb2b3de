/** The episode half of the bench: an episode with a canned model against a bare workflow of three activities and one update, in one run on one stack. */
import type { Lab } from '../endure/lab.ts';
import { say } from '../output.ts';
import { runBare, runEpisode, type Bench } from './episode-runs.ts';
import { withBench, workerSettings } from './episode-workers.ts';
import { median, percentile, rounded } from './statistics.ts';

/** How much. `pairs`: episodes one at a time, each next to a bare one. `atOnce`: episodes in a burst; `bursts` of each kind, interleaved. */
export type EpisodeSizes = { readonly warmUp: number; readonly pairs: number; readonly atOnce: number; readonly bursts: number };
export const episodeSizes: { readonly full: EpisodeSizes; readonly quick: EpisodeSizes } = {
  full: { warmUp: 40, pairs: 150, atOnce: 300, bursts: 5 }, quick: { warmUp: 5, pairs: 10, atOnce: 20, bursts: 1 },
};

/** What was measured: milliseconds from start to result one at a time, and workflows a second in bursts, as medians. */
export type EpisodeBench = {
  readonly episode: {
    readonly bareTemporalMs: number; readonly holdpointMs: number; readonly ratio: number; readonly barePerS: number; readonly perS: number;
    /** History events of one workflow of each kind. */
    readonly events: { readonly bare: number; readonly holdpoint: number };
    /** Updates that came before the workflow waited, and were sent again, both kinds together. */
    readonly refusedUpdates: number;
  };
  /** From the update's acceptance, as its history event has it, to the ledger row's own time, episodes one at a time. Both clocks are this machine's. */
  readonly approvalToCommitMs: { readonly p50: number; readonly p99: number };
  readonly episodeSettings: EpisodeSizes & typeof workerSettings;
};

/** Measures on the laboratory's servers. */
export async function benchEpisode(lab: Lab, sizes: EpisodeSizes, signal: AbortSignal): Promise<EpisodeBench> {
  return withBench(lab, async (bench) => {
    const single = await oneAtATime(bench, sizes, signal);
    const episodes = single.holdpointIds;
    const approvalToCommit = await approvalToCommitMs(bench, lab, episodes);
    const bursts = await inBursts(bench, sizes, signal);
    const events = { bare: await eventsOf(bench, single.bareIds.at(-1) ?? ''), holdpoint: await eventsOf(bench, episodes.at(-1) ?? '') };
    return {
      episode: {
        bareTemporalMs: rounded(median(single.bareMs), 1), holdpointMs: rounded(median(single.holdpointMs), 1), ratio: rounded(median(single.holdpointMs) / median(single.bareMs), 2),
        barePerS: rounded(median(bursts.barePerS), 1), perS: rounded(median(bursts.perS), 1), events, refusedUpdates: bench.refused,
      },
      approvalToCommitMs: { p50: rounded(percentile(approvalToCommit, 50), 1), p99: rounded(percentile(approvalToCommit, 99), 1) },
      episodeSettings: { ...sizes, ...workerSettings },
    };
  });
}

async function oneAtATime(bench: Bench, sizes: EpisodeSizes, signal: AbortSignal): Promise<{ bareMs: number[]; holdpointMs: number[]; bareIds: string[]; holdpointIds: string[] }> {
  const found = { bareMs: [] as number[], holdpointMs: [] as number[], bareIds: [] as string[], holdpointIds: [] as string[] };
  for (let pair = -sizes.warmUp; pair < sizes.pairs; pair += 1) {
    signal.throwIfAborted();
    const [bareId, episodeId] = [`bare-${String(pair)}`, `episode-${String(pair)}`];
    // Every other pair the other way round, so that neither kind always comes first.
    const both = pair % 2 === 0 ? [await runBare(bench, bareId), await runEpisode(bench, episodeId)] : [await runEpisode(bench, episodeId), await runBare(bench, bareId)].reverse();
    if (pair === 0) say('Warmed up; now one at a time.');
    if (pair < 0) continue;
    found.bareMs.push(both[0] ?? 0);
    found.holdpointMs.push(both[1] ?? 0);
    found.bareIds.push(bareId);
    found.holdpointIds.push(episodeId);
  }
  return found;
}

/** Bursts of one kind and the other in turn; the first of each is warm-up and counts only where it is the only one. */
async function inBursts(bench: Bench, sizes: EpisodeSizes, signal: AbortSignal): Promise<{ barePerS: number[]; perS: number[] }> {
  const kinds = { barePerS: runBare, perS: runEpisode };
  const found: { barePerS: number[]; perS: number[] } = { barePerS: [], perS: [] };
  for (let burst = 0; burst < sizes.bursts; burst += 1)
    for (const kind of ['barePerS', 'perS'] as const) {
      signal.throwIfAborted();
      const fromMs = performance.now();
      await Promise.all(Array.from({ length: sizes.atOnce }, (_, index) => kinds[kind](bench, `${kind}-${String(burst)}-${String(index)}`)));
      const rate = (sizes.atOnce * 1000) / (performance.now() - fromMs);
      say(`${kind === 'perS' ? 'holdpoint' : 'bare'}: ${String(sizes.atOnce)} at once, ${String(rounded(rate, 1))} a second`);
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
