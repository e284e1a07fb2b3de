/** The evaluation part of the bench: frozen proposals replayed and scored, beside bare updates in turn, and how time and memory grow with the decisions. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, migrate } from '../../database/migrate.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { withDatabase } from '../evaluate/database.ts';
import { usualConcurrency } from '../evaluate/engine.ts';
import type { Choice } from '../evaluate/plan.ts';
import { evaluate } from '../evaluate/run.ts';
import { measure, usualConnections } from './commit.ts';
import { benchWorld } from './commit-worlds.ts';
import { median, rounded } from './statistics.ts';

/** How much. `operations`: bare updates a connection and round. Decisions grow by seeds, from the first of two numbers to the second. */
export type EvaluateSizes = { readonly rounds: number; readonly operations: number; readonly seeds: number; readonly growth: { readonly design: Choice['design']; readonly seeds: readonly [number, number] } };
export const evaluateSizes: { readonly full: EvaluateSizes; readonly quick: EvaluateSizes } = {
  full: { rounds: 5, operations: 2_000, seeds: 3, growth: { design: 'main', seeds: [3, 30] } },
  quick: { rounds: 1, operations: 20, seeds: 1, growth: { design: 'smoke', seeds: [1, 10] } },
};

/** The time a decision at the larger size, as a multiple of that at the smaller one, that still counts as linear. */
export const mostGrowth = 1.25;

/** One size. `rssMbMost`: this process's resident memory at its most while it evaluated; what the summary needs afterwards is apart. */
export type Grown = { readonly decisions: number; readonly outcomes: number; readonly elapsedMs: number; readonly msPerDecision: number; readonly rssMbMost: number; readonly rssMbAfterSummary: number };

/** Medians of rounds. An outcome is a world that is seeded, changed, committed to and judged; a bare commit is one update of one row with the same triggers, waiting for the disk. */
export type EvaluateBench = {
  readonly outcomesPerS: number;
  /** Of the same round, then the median. */
  readonly shareOfBareCommits: number;
  readonly barePerS: number;
  /** `timePerDecision`, `rssMost`: the larger size over the smaller. */
  readonly growth: { readonly small: Grown; readonly large: Grown; readonly timePerDecision: number; readonly rssMost: number };
  readonly evaluateSettings: EvaluateSizes & { readonly concurrency: number; readonly connections: number };
};

type Telling = { readonly signal: AbortSignal; readonly say: (line: string) => void };

/** Measures always-act's proposals under every controller, on the server of `databaseUrl`, in databases of its own. */
export async function benchEvaluate(databaseUrl: string, sizes: EvaluateSizes, telling: Telling): Promise<EvaluateBench> {
  const place = { databaseUrl, ...telling };
  const pilot: Choice = { design: 'pilot', proposers: ['always-act'], seeds: seedsUpTo(sizes.seeds), telemetry: 'both' };
  const found: { barePerS: number; perS: number }[] = [];
  await withBare(databaseUrl, sizes.operations, async (bare) => {
    for (let round = 1; round <= sizes.rounds; round += 1) {
      const barePerS = await bare();
      const { outcomes, elapsedMs } = await grow(place, pilot);
      const perS = (outcomes / elapsedMs) * 1000;
      found.push({ barePerS, perS });
      telling.say(`round ${String(round)} of ${String(sizes.rounds)}: ${String(Math.round(perS))} outcomes a second, bare ${String(Math.round(barePerS))}/s`);
    }
  });
  const [small, large] = [
    await grow(place, { ...pilot, design: sizes.growth.design, seeds: seedsUpTo(sizes.growth.seeds[0]) }), await grow(place, { ...pilot, design: sizes.growth.design, seeds: seedsUpTo(sizes.growth.seeds[1]) }),
  ];
  return {
    outcomesPerS: Math.round(median(found.map(({ perS }) => perS))), barePerS: Math.round(median(found.map(({ barePerS }) => barePerS))),
    shareOfBareCommits: rounded(median(found.map(({ perS, barePerS }) => perS / barePerS)), 3),
    growth: { small, large, timePerDecision: rounded(large.msPerDecision / small.msPerDecision, 3), rssMost: rounded(large.rssMbMost / small.rssMbMost, 2) },
    evaluateSettings: { ...sizes, concurrency: usualConcurrency(), connections: usualConnections() },
  };
}

/** In words, for a terminal. */
export function describeEvaluate({ outcomesPerS, shareOfBareCommits, barePerS, growth }: EvaluateBench): string[] {
  const told = ({ decisions, elapsedMs, msPerDecision, rssMbMost }: Grown): string => `${String(decisions)} decisions ${(elapsedMs / 1000).toFixed(1)} s, ${String(msPerDecision)} ms each, ${String(rssMbMost)} MB`;
  return [
    `evaluation: ${String(outcomesPerS)} outcomes a second, ${String(shareOfBareCommits)} of ${String(barePerS)} bare updates`,
    `growing: ${told(growth.small)}; ${told(growth.large)}: ${String(growth.timePerDecision)} of the time a decision, ${String(growth.rssMost)} of the memory`,
  ];
}

const seedsUpTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Evaluates in a folder and a database of its own, of which nothing is left. */
async function grow({ databaseUrl, signal, say }: Telling & { readonly databaseUrl: string }, choice: Choice): Promise<Grown> {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-bench-evaluate-'));
  const rssMb = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20);
  let rssMbMost = 0;
  let told = 0;
  const onProgress = (done: number, all: number): void => {
    rssMbMost = Math.max(rssMbMost, rssMb());
    if (done < all && Math.floor((10 * done) / all) > told) say(`${choice.design}: ${String(done)} of ${String(all)} decisions`);
    told = Math.floor((10 * done) / all);
  };
  const concurrency = usualConcurrency();
  try {
    const { costs, summary } = await evaluate({ choice, folder, controllers, concurrency, signal, onProgress }, (use) => withDatabase({ serverUrl: databaseUrl, folder, connections: concurrency }, use));
    const decisions = summary.proposers.reduce((sum, { json }) => sum + json.decisions, 0);
    return { decisions, outcomes: costs.outcomes, elapsedMs: Math.round(costs.elapsedMs), msPerDecision: rounded(costs.elapsedMs / decisions, 2), rssMbMost, rssMbAfterSummary: rssMb() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lends a measurement of bare updates, in operations a second, warmed up. The database has the server's own durability, as in the commit half. */
async function withBare(databaseUrl: string, operations: number, use: (bare: () => Promise<number>) => Promise<void>): Promise<void> {
  const ownerUrl = await createDatabase(databaseUrl, 'holdpoint_bench_evaluate');
  await migrate(ownerUrl);
  const pool: Pool = createPool({ url: roleUrl(ownerUrl, 'holdpoint_worker'), max: usualConnections(), name: 'holdpoint-bench' });
  try {
    const worlds = await Promise.all(Array.from({ length: usualConnections() }, () => benchWorld(pool, operations)));
    const bare = async (): Promise<number> => (await measure(pool, worlds, { kind: 'bare', operations })).perS;
    await bare();
    await use(bare);
  } finally {
    await pool.end();
  }
}
