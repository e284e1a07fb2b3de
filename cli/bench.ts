/** `holdpoint bench`: what a guard costs a commit, a hold point an episode and a frozen proposal an evaluation, against bare Postgres and bare Temporal, in one run on one stack. */
import { cpus } from 'node:os';
import { benchCommit, usualConnections, type CommitBench, type CommitBenchOptions } from './bench/commit.ts';
import { benchEpisode, episodeSizes, type EpisodeBench } from './bench/episode.ts';
import { benchEvaluate, describeEvaluate, evaluateSizes, mostGrowth, type EvaluateBench } from './bench/evaluate.ts';
import { createDatabase } from '../database/migrate.ts';
import { GuardKind } from '../contract/guard.ts';
import { interruptible, withLab, type Lab } from './endure/lab.ts';
import { printResult, say, UserError, type CommandModule } from './output.ts';

/** What is measured: each has figures of its own. */
type Part = 'commit' | 'episode' | 'evaluate';

/** Which part, or all, and whether at the tests' reduced size. */
export type BenchOptions = { readonly quick: boolean; readonly only: Part | undefined; readonly signal: AbortSignal; readonly quiet?: boolean };

/** All parts, or the one that was asked for, with what they ran on. */
export type BenchResult = Partial<EpisodeBench> & { readonly commit?: CommitBench; readonly evaluate?: EvaluateBench; readonly settings: Record<string, unknown>; readonly shortcomings: readonly string[] };

/** An episode's most time, as a multiple of a bare workflow's. */
const mostRatio = 1.25;
/** A guarded commit's least throughput, as a share of a bare update's. */
const leastShare = 0.6;
const commitSizes = { full: { rounds: 84, operations: 100 }, quick: { rounds: 1, operations: 20 } };

/** Exit code 0 where the limits hold, else 1 with one sentence each; at the reduced size limits are printed and not held. */
export const registerBench: CommandModule = (program) => {
  program
    .command('bench')
    .description('Measure commits, episodes and evaluations against bare Postgres and bare Temporal. Brings its own servers.')
    .option('--quick', "the tests' reduced size: shows that it runs, proves nothing")
    .option('--only <part>', 'commit, episode or evaluate', readPart)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ holdpoint bench --json\n  $ holdpoint bench --only episode\n  $ holdpoint bench --only evaluate --quick')
    .action(async (options: { quick?: boolean; only?: Part; json?: boolean }) => {
      const result = await interruptible('The bench', (signal) => bench({ quick: options.quick === true, only: options.only, signal }));
      printResult(options, result, () => describe(result));
      if (result.shortcomings.length > 0) throw new UserError(result.shortcomings.join(' '));
    });
};

/** Runs it on servers of its own: Temporal on a file, Postgres with its default durability. */
export async function bench({ quick, only, signal, quiet = false }: BenchOptions): Promise<BenchResult> {
  return withLab({ name: 'bench', signal, quiet }, async (lab) => {
    const telling = { signal, say: quiet ? (): void => undefined : say };
    const half = { ...(quick ? commitSizes.quick : commitSizes.full), connections: usualConnections(), ...telling };
    const wants = (part: Part): boolean => only === undefined || only === part;
    const size = quick ? 'quick' : 'full';
    const commit = wants('commit') ? { commit: await commitHalf(lab, half) } : {};
    const evaluate = wants('evaluate') ? { evaluate: await benchEvaluate(lab.settings.databaseUrl, evaluateSizes[size], telling) } : {};
    const episode = wants('episode') ? await benchEpisode(lab, episodeSizes[size], telling) : {};
    const measured = { ...commit, ...evaluate, ...episode };
    return { ...measured, settings: await settingsOf(lab, quick), shortcomings: quick ? [] : shortcomings(measured) };
  });
}

/** On the same server, in a database of its own. */
async function commitHalf({ settings }: Lab, options: Omit<CommitBenchOptions, 'ownerUrl'>): Promise<CommitBench> {
  return benchCommit({ ...options, ownerUrl: await createDatabase(settings.databaseUrl, 'holdpoint_bench_commit') });
}

async function settingsOf(lab: Lab, quick: boolean): Promise<Record<string, unknown>> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'shared_buffers', 'max_connections'];
  const { rows } = await lab.owner.query<{ name: string; setting: string }>('select name, setting from pg_settings where name = any ($1) order by name', [names]);
  return {
    size: quick ? 'quick' : 'full', node: process.version, cpus: cpus().length, ...lab.versions, temporalDatabase: 'file, WAL, synchronous off',
    postgresSettings: Object.fromEntries(rows.map((row) => [row.name, row.setting])),
  };
}

function shortcomings({ commit, episode, evaluate }: Pick<BenchResult, 'commit' | 'episode' | 'evaluate'>): string[] {
  const slow = commit === undefined ? [] : GuardKind.options.filter((guard) => commit.ratios[guard] < leastShare);
  return [
    ...slow.map((guard) => `The guard ${guard} reaches ${String(commit?.ratios[guard])} of a bare update's throughput; at least ${String(leastShare)} is asked.`),
    ...(episode === undefined || episode.ratio <= mostRatio ? [] : [`An episode takes ${String(episode.ratio)} of a bare workflow's time; at most ${String(mostRatio)} is allowed.`]),
    ...(evaluate === undefined || evaluate.growth.timePerDecision <= mostGrowth ? [] : [`With more decisions each takes ${String(evaluate.growth.timePerDecision)} of its time; at most ${String(mostGrowth)} is allowed.`]),
  ];
}

function describe({ commit, episode, evaluate, approvalToCommitMs, settings }: BenchResult): string {
  return [
    ...(commit === undefined ? [] : [`commits a second: bare ${String(Math.round(commit.barePerS))}, ${GuardKind.options.map((guard) => `${guard} ${String(Math.round(commit[`${guard}PerS`]))} (${String(commit.ratios[guard])})`).join(', ')}`]),
    ...(commit === undefined ? [] : [`the tool with its side effect: ${String(commit.withSideEffect.predicatePerS)}, ${String(commit.withSideEffect.ratioToUpdate)} of the bare update, ${String(commit.withSideEffect.ratioToBoth)} of a bare statement that writes both rows`]),
    ...(episode === undefined ? [] : [
      `one at a time: an episode ${String(episode.holdpointMs)} ms, a bare workflow ${String(episode.bareTemporalMs)} ms (${String(episode.ratio)} of it)`,
      `at once: ${String(episode.perS)} episodes a second, ${String(episode.barePerS)} bare workflows`,
      `with the judge on: ${String(episode.scoredMs)} ms one at a time, ${String(episode.scoredPerS)} a second at once`,
    ]),
    ...(approvalToCommitMs === undefined ? [] : [`from the accepted approval to the committed row: ${String(approvalToCommitMs.p50)} ms, p99 ${String(approvalToCommitMs.p99)} ms`]),
    ...(evaluate === undefined ? [] : describeEvaluate(evaluate)),
    `on ${JSON.stringify(settings)}`,
  ].join('\n');
}

function readPart(text: string): Part {
  if (text !== 'commit' && text !== 'episode' && text !== 'evaluate') throw new UserError('--only takes commit, episode or evaluate.', 2);
  return text;
}
