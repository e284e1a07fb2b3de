/** Runs the bouts of one guard: several worlds at once, two bouts at a time in each, on connections of the worker role. */
import type { GuardKind } from '../../contract/guard.ts';
import { createPool, type Pool } from '../../database/pool.ts';
import { seedWorld } from '../../database/worlds.ts';
import { runBout, type BoutEnd, type Ring } from './bout.ts';
import { startCutProxy, type CutProxy } from './cut-proxy.ts';
import { watchLocks } from './lock-monitor.ts';
import type { WorldPlan } from './plan.ts';

/** Where and how wide the race runs. */
export type RaceSetting = {
  /** The worker role's URL: commits and strikes have no more rights than in production. */
  readonly workerUrl: string;
  readonly owner: Pool;
  /** Connections of commits and strikes together; at least 4. */
  readonly connections: number;
  readonly signal: AbortSignal;
  /** Called after each bout of a guard with the number done. */
  onBout(guard: GuardKind, done: number): void;
};

/** What the drivers saw of one guard. */
export type GuardRun = {
  readonly guard: GuardKind;
  readonly worldIds: readonly string[];
  readonly ends: readonly BoutEnd[];
  readonly lockWaits: number;
  readonly contentionReruns: number;
  /** Seconds from the first bout to the last, seeding apart. */
  readonly tookS: number;
};

/** Two bouts of one world at a time: they share its policy and its epoch, so that commits also meet each other. */
const lanesAWorld = 2;

/** Runs all worlds of one guard. @throws the first bout's failure, or the signal's reason */
export async function runGuard(setting: RaceSetting, guard: GuardKind, plan: readonly WorldPlan[]): Promise<GuardRun> {
  const lanes = Math.max(lanesAWorld, Math.floor(setting.connections / 2));
  const open = (name: string, url: string): Pool => createPool({ url, max: lanes, name: `holdpoint-race-${name}` });
  const proxies = { answer: await startCutProxy(setting.workerUrl, () => 'answer'), commit: await startCutProxy(setting.workerUrl, () => 'commit') };
  const pools = { committers: open('commit', setting.workerUrl), strikers: open('strike', setting.workerUrl), answer: open('cut', proxies.answer.url), commit: open('cut', proxies.commit.url) };
  let contentionReruns = 0;
  const ring: Ring = { guard, committers: pools.committers, strikers: pools.strikers, cutting: pools, signal: setting.signal, onRerun: () => { contentionReruns += 1; } };
  const monitor = watchLocks(setting.owner);
  const startedMs = performance.now();
  try {
    const { worldIds, ends } = await runWorlds(setting, ring, { plan, atOnce: Math.ceil(lanes / lanesAWorld) });
    refuseUncounted(proxies, ends);
    return { guard, worldIds, ends, lockWaits: monitor.waits(), contentionReruns, tookS: (performance.now() - startedMs) / 1000 };
  } finally {
    await monitor.stop().finally(() => Promise.all([...Object.values(pools).map((pool) => pool.end()), ...Object.values(proxies).map((proxy) => proxy.close())]));
  }
}

async function runWorlds(setting: RaceSetting, ring: Ring, work: { plan: readonly WorldPlan[]; atOnce: number }): Promise<Pick<GuardRun, 'worldIds' | 'ends'>> {
  const worldIds: string[] = [];
  const ends: BoutEnd[] = [];
  const worlds = [...work.plan];
  const failed = new AbortController();
  const signal = AbortSignal.any([setting.signal, failed.signal]);
  const lane = async (world: WorldPlan & { worldId: string }, bouts: WorldPlan['bouts'][number][]): Promise<void> => {
    for (let bout = bouts.shift(); bout !== undefined; bout = bouts.shift()) {
      signal.throwIfAborted();
      ends.push(await runBout(ring, world, bout));
      setting.onBout(ring.guard, ends.length);
    }
  };
  const worker = async (): Promise<void> => {
    for (let world = worlds.shift(); world !== undefined; world = worlds.shift()) {
      signal.throwIfAborted();
      const { arena } = world;
      const rows = [...arena.shared, ...world.bouts.flatMap((bout) => arena.seedOf(bout.target))];
      const worldId = await seedWorld(ring.committers, `race ${ring.guard} ${String(world.index)}`, rows);
      worldIds.push(worldId);
      const bouts = [...world.bouts];
      const seeded = { ...world, worldId };
      await Promise.all(Array.from({ length: lanesAWorld }, () => lane(seeded, bouts)));
    }
  };
  const stopOthers = (error: unknown): never => {
    failed.abort(error);
    throw error;
  };
  const ended = await Promise.allSettled(Array.from({ length: work.atOnce }, () => worker().catch(stopOthers)));
  signal.throwIfAborted();
  const failure = ended.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return { worldIds, ends };
}

/** A cut counts only where COMMIT was seen passing: the proxies must have made exactly the cuts that the drivers felt. */
function refuseUncounted(proxies: Readonly<Record<'answer' | 'commit', CutProxy>>, ends: readonly BoutEnd[]): void {
  for (const at of ['answer', 'commit'] as const) {
    const felt = ends.filter((end) => end.bout.cut?.at === at && end.wasUnknown).length;
    if (proxies[at].counts().cuts !== felt) throw new Error(`${String(felt)} commits lost their line, but the proxy cut ${String(proxies[at].counts().cuts)}.`);
  }
}
