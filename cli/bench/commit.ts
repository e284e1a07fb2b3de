/** The commit half of the bench: guarded commits against bare updates of the same table, rounds interleaved on one pool. */
import { availableParallelism } from 'node:os';
import { GuardKind } from '../../contract/guard.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { migrate, roleUrl } from '../../database/migrate.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { barePrefix, benchWorld, bareUpdate, guardedPrefix, readyCommits, type BenchWorld } from './commit-worlds.ts';
import { median, rounded } from './statistics.ts';

/** What to measure. `ownerUrl` leads to an empty database of its own. */
export type CommitBenchOptions = {
  readonly ownerUrl: string;
  /** Measured rounds; one more is run first and dropped, because a server that has just started is slow. */
  readonly rounds: number;
  /** Operations a connection does in a round. */
  readonly operations: number;
  readonly connections: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
};

/** Medians of rounds, in operations a second. `ratios` are to the bare update of the same round, then the median: noise that lasts longer than a round cancels. */
export type CommitBench = {
  readonly barePerS: number;
  readonly nonePerS: number;
  readonly epochPerS: number;
  readonly versionPerS: number;
  readonly predicatePerS: number;
  readonly ratios: Readonly<Record<GuardKind, number>>;
  /** All connections in one world: the epoch's row is the queue. `committedShare`: what the guard did not refuse. */
  readonly sharedWorld: Readonly<Record<'bare' | GuardKind, { readonly perS: number; readonly committedShare: number }>>;
  readonly settings: Readonly<Record<string, string>> & { readonly connections: string; readonly rounds: string; readonly operations: string };
};

/** A pool's usual size for a CPU-bound Postgres on fast storage: twice the cores and one more (PostgreSQL wiki, Number Of Database Connections). */
export function usualConnections(): number {
  return availableParallelism() * 2 + 1;
}

type Kind = 'bare' | GuardKind;
const kinds: readonly Kind[] = ['bare', ...GuardKind.options];

/** Measures in a database of its own. Every guarded commit must commit: a refusal is an error of the bench. */
export async function benchCommit(options: CommitBenchOptions): Promise<CommitBench> {
  await migrate(options.ownerUrl);
  const pool = createPool({ url: roleUrl(options.ownerUrl, 'holdpoint_worker'), max: options.connections, name: 'holdpoint-bench' });
  try {
    const own = await Promise.all(Array.from({ length: options.connections }, () => benchWorld(pool, options.operations)));
    const apart = await rounds(pool, options, own);
    const shared = await benchWorld(pool, options.operations * options.connections);
    const together = await rounds(pool, { ...options, rounds: Math.max(1, Math.ceil(options.rounds / 3)) }, own.map((_, index) => ({ ...shared, offset: index * options.operations })));
    const perS = (kind: Kind): number => Math.round(median(apart.map((round) => round[kind].perS)));
    return {
      barePerS: perS('bare'), nonePerS: perS('none'), epochPerS: perS('epoch'), versionPerS: perS('version'), predicatePerS: perS('predicate'),
      ratios: perGuard((guard) => rounded(median(apart.map((round) => round[guard].perS / round.bare.perS)), 3)),
      sharedWorld: Object.fromEntries(kinds.map((kind) => [kind, {
        perS: Math.round(median(together.map((round) => round[kind].perS))), committedShare: rounded(median(together.map((round) => round[kind].committedShare)), 3),
      }])) as CommitBench['sharedWorld'],
      settings: await settingsOf(pool, options),
    };
  } finally {
    await pool.end();
  }
}

type Round = Record<Kind, { perS: number; committedShare: number }>;

async function rounds(pool: Pool, options: CommitBenchOptions, worlds: readonly BenchWorld[]): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round <= options.rounds; round += 1) {
    const result: Partial<Round> = {};
    // Every second round backwards, so that no kind always follows the same other.
    for (const kind of round % 2 === 0 ? kinds : [...kinds].reverse()) {
      options.signal?.throwIfAborted();
      result[kind] = await measure(pool, worlds, { kind, operations: options.operations });
    }
    if (round > 0) measured.push(result as Round);
    options.say(`round ${String(round)} of ${String(options.rounds)}: ${kinds.map((kind) => `${kind} ${String(Math.round(result[kind]?.perS ?? 0))}/s`).join(', ')}`);
  }
  return measured;
}

async function measure(pool: Pool, worlds: readonly BenchWorld[], { kind, operations }: { kind: Kind; operations: number }): Promise<Round[Kind]> {
  const shared = new Set(worlds.map((world) => world.worldId)).size < worlds.length;
  const ready = kind === 'bare' ? [] : await Promise.all(worlds.map((world) => readyCommits(pool, world, { kind, operations })));
  let committed = 0;
  const startedMs = performance.now();
  await Promise.all(worlds.map(async (world, index) => {
    for (let operation = 0; operation < operations; operation += 1) {
      const request = ready[index]?.[operation];
      if (request === undefined) {
        await pool.query(bareUpdate(world, operation));
        committed += 1;
        continue;
      }
      const outcome = await commitProposal(pool, request);
      if (outcome.outcome === 'committed') committed += 1;
      else if (!shared) throw new Error(`A commit of the bench came out as ${JSON.stringify(outcome)}.`);
    }
  }));
  const done = operations * worlds.length;
  return { perS: (done / (performance.now() - startedMs)) * 1000, committedShare: committed / done };
}

async function settingsOf(pool: Pool, options: CommitBenchOptions): Promise<CommitBench['settings']> {
  const names = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers'];
  const { rows } = await pool.query<{ name: string; setting: string }>('select name, setting from pg_settings where name = any($1)', [names]);
  const { connections, rounds: measuredRounds, operations } = options;
  return {
    ...Object.fromEntries(rows.map((row) => [row.name, row.setting])), connections: String(connections), rounds: String(measuredRounds), operations: String(operations),
    table: 'orders.orders', tool: 'change_delivery_address', bareRows: barePrefix, guardedRows: guardedPrefix,
  };
}

function perGuard(value: (guard: GuardKind) => number): Readonly<Record<GuardKind, number>> {
  return Object.fromEntries(GuardKind.options.map((guard) => [guard, value(guard)])) as Record<GuardKind, number>;
}
