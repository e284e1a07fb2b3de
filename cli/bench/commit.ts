/** The commit half of the bench: guarded commits against bare updates of the same table, rounds interleaved on one pool. */
import { availableParallelism } from 'node:os';
import { GuardKind } from '../../contract/guard.ts';
import { commitProposal, type CommitRequest } from '../../database/commit/commit.ts';
import { commitFunctionSql } from '../../database/commit/generate.ts';
import { migrate } from '../../database/migrate.ts';
import { roleUrl } from '../../database/role-url.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { bareBoth, barePrefix, benchWorld, bareUpdate, contracts, guardedPrefix, readyCommits, type BenchWorld } from './commit-worlds.ts';
import { median, rounded } from './statistics.ts';

/** What to measure. `ownerUrl` leads to an empty database of its own. */
export type CommitBenchOptions = {
  readonly ownerUrl: string;
  /** Measured rounds, a third of them for what stands beside the guards; one more is run first and dropped, because a server that has just started is slow. */
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
  /** The tool as it is, which writes a row beside its update, with the predicate guard: against the bare update, and against one bare statement that writes both rows. */
  readonly withSideEffect: { readonly barePerS: number; readonly bothPerS: number; readonly predicatePerS: number; readonly ratioToUpdate: number; readonly ratioToBoth: number };
  /** All connections in one world: the epoch's row is the queue. `committedShare`: what the guard did not refuse. */
  readonly sharedWorld: Readonly<Record<'bare' | GuardKind, { readonly perS: number; readonly committedShare: number }>>;
  readonly settings: Readonly<Record<string, string>> & { readonly connections: string; readonly rounds: string; readonly operations: string };
};

/** A pool's usual size for a CPU-bound Postgres on fast storage: twice the cores and one more (PostgreSQL wiki, Number Of Database Connections). */
export function usualConnections(): number {
  return availableParallelism() * 2 + 1;
}

type Kind = 'bare' | 'both' | GuardKind;
const guardKinds = ['bare', ...GuardKind.options] as const;
const sideEffectKinds = ['bare', 'both', 'predicate'] as const;

/** Measures in a database of its own. Every guarded commit must commit: a refusal is an error of the bench. */
export async function benchCommit(options: CommitBenchOptions): Promise<CommitBench> {
  await migrate(options.ownerUrl);
  const pool = createPool({ url: roleUrl(options.ownerUrl, 'holdpoint_worker'), max: options.connections, name: 'holdpoint-bench' });
  const owner = createPool({ url: options.ownerUrl, max: 1, name: 'holdpoint-bench-owner' });
  try {
    const own = await Promise.all(Array.from({ length: options.connections }, () => benchWorld(pool, options.operations)));
    await owner.query(commitFunctionSql(contracts.updateAlone));
    const apart = await rounds(pool, { kinds: guardKinds, worlds: own }, options);
    const shared = await benchWorld(pool, options.operations * options.connections);
    const inShared = own.map((_, index) => ({ ...shared, offset: index * options.operations }));
    const fewer = { ...options, rounds: Math.ceil(options.rounds / 3) };
    const together = await rounds(pool, { kinds: guardKinds, worlds: inShared }, fewer);
    await owner.query(commitFunctionSql(contracts.withSideEffect));
    const whole = await rounds(pool, { kinds: sideEffectKinds, worlds: own }, fewer);
    return {
      barePerS: perS(apart, 'bare'), nonePerS: perS(apart, 'none'), epochPerS: perS(apart, 'epoch'), versionPerS: perS(apart, 'version'), predicatePerS: perS(apart, 'predicate'),
      ratios: perGuard((guard) => ratio(apart, guard, 'bare')),
      withSideEffect: {
        barePerS: perS(whole, 'bare'), bothPerS: perS(whole, 'both'), predicatePerS: perS(whole, 'predicate'),
        ratioToUpdate: ratio(whole, 'predicate', 'bare'), ratioToBoth: ratio(whole, 'predicate', 'both'),
      },
      sharedWorld: Object.fromEntries(guardKinds.map((kind) => [kind, {
        perS: perS(together, kind), committedShare: rounded(median(together.map((round) => round[kind].committedShare)), 3),
      }])) as CommitBench['sharedWorld'],
      settings: await settingsOf(pool, options),
    };
  } finally {
    await Promise.all([pool.end(), owner.end()]);
  }
}

/** `committedShare`: 0 to 1. */
export type Measured = { readonly perS: number; readonly committedShare: number };
type Round<K extends Kind> = Readonly<Record<K, Measured>>;

function perS<K extends Kind>(measured: readonly Round<K>[], kind: K): number {
  return Math.round(median(measured.map((round) => round[kind].perS)));
}

function ratio<K extends Kind>(measured: readonly Round<K>[], kind: K, to: K): number {
  return rounded(median(measured.map((round) => round[kind].perS / round[to].perS)), 3);
}

/** Every kind once a round. The functions that commit may have changed since the last call: each connection plans anew in the round that is dropped. */
async function rounds<K extends Kind>(pool: Pool, { kinds, worlds }: { kinds: readonly K[]; worlds: readonly BenchWorld[] }, options: CommitBenchOptions): Promise<Round<K>[]> {
  const measured: Round<K>[] = [];
  for (let round = 0; round <= options.rounds; round += 1) {
    const result: Partial<Record<K, Measured>> = {};
    // Every second round backwards, so that no kind always follows the same other. Everything is made ready first: what that leaves to do in the background hits all kinds.
    const order = round % 2 === 0 ? kinds : [...kinds].reverse();
    const ready = await readyRound(pool, { kinds: order, worlds }, options.operations);
    for (const kind of order) {
      options.signal?.throwIfAborted();
      result[kind] = await measure(pool, worlds, { kind, operations: options.operations, ready: ready.get(kind) ?? [] });
    }
    if (round > 0) measured.push(result as Round<K>);
    if (round % Math.ceil(options.rounds / 12) === 0) options.say(`round ${String(round)} of ${String(options.rounds)}: ${kinds.map((kind) => `${kind} ${String(Math.round(result[kind]?.perS ?? 0))}/s`).join(', ')}`);
  }
  return measured;
}

/** The commits of a round's guards, by kind and connection. */
async function readyRound(pool: Pool, { kinds, worlds }: { kinds: readonly Kind[]; worlds: readonly BenchWorld[] }, operations: number): Promise<Map<Kind, CommitRequest[][]>> {
  const ready = new Map<Kind, CommitRequest[][]>();
  for (const [position, kind] of kinds.entries())
    if (kind !== 'bare' && kind !== 'both') {
      const before = { kinds: position, guards: ready.size };
      ready.set(kind, await Promise.all(worlds.map((world) => readyCommits(pool, world, { kind, operations, before }))));
    }
  return ready;
}

/** What one kind does in a round. `ready`: its commits by connection, none for a bare kind. */
type Work = { readonly kind: Kind; readonly operations: number; readonly ready?: readonly (readonly CommitRequest[])[] };

/** Operations a second of one kind, a connection a world. */
export async function measure(pool: Pool, worlds: readonly BenchWorld[], { kind, operations, ready = [] }: Work): Promise<Measured> {
  const shared = new Set(worlds.map((world) => world.worldId)).size < worlds.length;
  const bare = kind === 'both' ? bareBoth : bareUpdate;
  let committed = 0;
  const startedMs = performance.now();
  await Promise.all(worlds.map(async (world, index) => {
    for (let operation = 0; operation < operations; operation += 1) {
      const request = ready[index]?.[operation];
      if (request === undefined) {
        await pool.query(bare(world, operation));
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
    table: 'orders.orders', tool: contracts.withSideEffect.tool, bareRows: barePrefix, guardedRows: guardedPrefix,
  };
}

function perGuard(value: (guard: GuardKind) => number): Readonly<Record<GuardKind, number>> {
  return Object.fromEntries(GuardKind.options.map((guard) => [guard, value(guard)])) as Record<GuardKind, number>;
}
