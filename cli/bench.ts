/** `holdpoint bench`: what a guard costs a commit and what a hold point costs an episode, against bare Postgres and bare Temporal, in one run on one stack. */
import { cpus } from 'node:os';
import { benchCommit, usualConnections, type CommitBench, type CommitBenchOptions } from './bench/commit.ts';
import { benchEpisode, episodeSizes, type EpisodeBench } from './bench/episode.ts';
import { createDatabase } from '../database/migrate.ts';
import { GuardKind } from '../contract/guard.ts';
import { interruptible, withLab, type Lab } from './endure/lab.ts';
import { printResult, say, UserError, type CommandModule } from './output.ts';

/** Which halves, and whether at the tests' reduced size. */
export type BenchOptions = { readonly quick: boolean; readonly only: 'commit' | 'episode' | undefined; readonly signal: AbortSignal; readonly quiet?: boolean };

/** Both halves, or the one that was asked for, with what they ran on. */
export type BenchResult = Partial<EpisodeBench> & { readonly commit?: CommitBench; readonly settings: Record<string, unknown>; readonly shortcomings: readonly string[] };

/** An episode's most time, as a multiple of a bare workflow's. */
const mostRatio = 1.25;
/** A guarded commit's least throughput, as a share of a bare update's. */
const leastShare = 0.6;
const commitSizes = { full: { rounds: 84, operations: 100 }, quick: { rounds: 1, operations: 20 } };

/** Exit code 0 where the limits hold, else 1 with one sentence each; at the reduced size limits are printed and not held. */
export const registerBench: CommandModule = (program) => {
  program
    .command('bench')
    .description('Measure commits and episodes against bare Postgres and bare Temporal. Brings its own servers.')
    .option('--quick', "the tests' reduced size: shows that it runs, proves nothing")
    .option('--only <half>', 'commit or episode', readHalf)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExamples:\n  $ holdpoint bench --json\n  $ holdpoint bench --only episode')
    .action(async (options: { quick?: boolean; only?: 'commit' | 'episode'; json?: boolean }) => {
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
    const commit = only === 'episode' ? {} : { commit: await commitHalf(lab, half) };
    const episode = only === 'commit' ? {} : await benchEpisode(lab, quick ? episodeSizes.quick : episodeSizes.full, telling);
    return { ...commit, ...episode, settings: await settingsOf(lab, quick), shortcomings: quick ? [] : shortcomings({ ...commit, ...episode }) };
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

function shortcomings({ commit, episode }: Pick<BenchResult, 'commit' | 'episode'>): string[] {
  const slow = commit === undefined ? [] : GuardKind.options.filter((guard) => commit.ratios[guard] < leastShare);
  const guards = slow.map((guard) => `The guard ${guard} reaches ${String(commit?.ratios[guard])} of a bare update's throughput; at least ${String(leastShare)} is asked.`);
  return episode === undefined || episode.ratio <= mostRatio ? guards : [...guards, `An episode takes ${String(episode.ratio)} of a bare workflow's time; at most ${String(mostRatio)} is allowed.`];
}

function describe({ commit, episode, approvalToCommitMs, settings }: BenchResult): string {
  return [
    ...(commit === undefined ? [] : [`commits a second: bare ${String(Math.round(commit.barePerS))}, ${GuardKind.options.map((guard) => `${guard} ${String(Math.round(commit[`${guard}PerS`]))} (${String(commit.ratios[guard])})`).join(', ')}`]),
    ...(commit === undefined ? [] : [`the tool with its side effect: ${String(commit.withSideEffect.predicatePerS)}, ${String(commit.withSideEffect.ratioToUpdate)} of the bare update, ${String(commit.withSideEffect.ratioToBoth)} of a bare statement that writes both rows`]),
    ...(episode === undefined ? [] : [
      `one at a time: an episode ${String(episode.holdpointMs)} ms, a bare workflow ${String(episode.bareTemporalMs)} ms (${String(episode.ratio)} of it)`,
      `at once: ${String(episode.perS)} episodes a second, ${String(episode.barePerS)} bare workflows`,
      `with the judge on: ${String(episode.scoredMs)} ms one at a time, ${String(episode.scoredPerS)} a second at once`,
    ]),
    ...(approvalToCommitMs === undefined ? [] : [`from the accepted approval to the committed row: ${String(approvalToCommitMs.p50)} ms, p99 ${String(approvalToCommitMs.p99)} ms`]),
    `on ${JSON.stringify(settings)}`,
  ].join('\n');
}

function readHalf(text: string): 'commit' | 'episode' {
  if (text !== 'commit' && text !== 'episode') throw new UserError('--only takes commit or episode.', 2);
  return text;
}
