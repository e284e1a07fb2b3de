/** `holdpoint race`: live commits against live changes of the same worlds, with lines cut at COMMIT, judged afterwards by the checker. */
import { randomBytes } from 'node:crypto';
import { judgeWorlds } from '../checker/judge.ts';
import { GuardKind } from '../contract/guard.ts';
import { createDatabase, migrate } from '../database/migrate.ts';
import { roleUrl } from '../database/role-url.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { defaultStateDir, startStack } from '../stack/stack.ts';
import { interruptible } from './endure/lab.ts';
import { printResult, say, UserError, wholeNumber, type CommandModule } from './output.ts';
import { planRace } from './race/plan.ts';
import { shortcomings } from './race/requirements.ts';
import { runGuard, type GuardRun } from './race/run.ts';
import { describeRace } from './race/table.ts';
import { tally, type GuardFigures, type RaceResult } from './race/tally.ts';

/** What to race. */
export type RaceOptions = { readonly commits: number; readonly seed: number; readonly connections: number; readonly signal: AbortSignal };

type Flags = { commits: number; seed: number; connections: number; database?: string; keep?: boolean; json?: boolean };

/** Exit code 0 where the race shows all it must, 1 with one sentence for each thing it does not. */
export const registerRace: CommandModule = (program) => {
  program
    .command('race')
    .description('Race commits against changes of the same worlds, with lines cut at COMMIT, and have the checker judge every one.')
    .option('--commits <n>', 'commits for each guard', wholeNumber('--commits', { min: 1, max: 1_000_000 }), 5000)
    .option('--seed <s>', 'seed of the plan', wholeNumber('--seed', { min: 0, max: 2 ** 31 - 1 }), 1)
    .option('--connections <c>', 'connections of commits and strikes together', wholeNumber('--connections', { min: 4, max: 100 }), 16)
    .option('--database <url>', "an owner's URL of a Postgres server; default DATABASE_URL, else one is started")
    .option('--keep', 'leave the database of the race behind')
    .option('--json', 'print one JSON document')
    .action(async (flags: Flags) => {
      await interruptible('The race', async (signal) => {
        const result = await withServer(flags, signal, (serverUrl) => raceOn(serverUrl, flags, signal));
        printResult(flags, result, () => describeRace(result));
        if (result.shortcomings.length > 0) throw new UserError(result.shortcomings.join(' '));
      });
    });
};

/** Races on a server in a database of its own, which is dropped afterwards whatever happened, unless `keep` is set. */
export async function raceOn(serverUrl: string, flags: Pick<Flags, 'commits' | 'seed' | 'connections' | 'keep'>, signal: AbortSignal): Promise<RaceResult> {
  const name = `holdpoint_race_${randomBytes(4).toString('hex')}`;
  const url = await createDatabase(serverUrl, name).catch((error: unknown) => {
    throw new UserError(`No database could be made on ${new URL(serverUrl).host} (${error instanceof Error ? error.message || error.name : String(error)}): give an owner's URL of a running Postgres.`);
  });
  try {
    await migrate(url);
    return await race(url, { ...flags, signal });
  } finally {
    if (flags.keep === true) say(`The database ${name} was kept.`);
    else await dropDatabase(serverUrl, name);
  }
}

/** Races in a migrated database that nobody else uses. `ownerUrl` leads to it as its owner. */
export async function race(ownerUrl: string, options: RaceOptions): Promise<RaceResult> {
  const startedMs = performance.now();
  const owner = createPool({ url: ownerUrl, max: 2, name: 'holdpoint-race-owner', statementTimeoutMs: 120_000 });
  const plan = planRace(options.seed, options.commits);
  const progress = progressLine(options.commits);
  try {
    const runs: GuardRun[] = [];
    for (const guard of GuardKind.options)
      runs.push(await runGuard({ workerUrl: roleUrl(ownerUrl, 'holdpoint_worker'), owner, connections: options.connections, signal: options.signal, onBout: progress }, guard, plan));
    await owner.query('analyze holdpoint.row_history, holdpoint.ledger, holdpoint.approvals');
    const figures: [GuardKind, GuardFigures][] = [];
    for (const run of runs) figures.push([run.guard, await judged(owner, run, options.signal)]);
    const guards = Object.fromEntries(figures) as Record<GuardKind, GuardFigures>;
    const elapsedS = Math.round((performance.now() - startedMs) / 100) / 10;
    return { guards, seed: options.seed, commits: options.commits, connections: options.connections, elapsedS, shortcomings: shortcomings(guards, options.commits) };
  } finally {
    await owner.end();
  }
}

async function judged(owner: Pool, run: GuardRun, signal: AbortSignal): Promise<GuardFigures> {
  say(`Judging ${String(run.worldIds.length)} worlds of the guard ${run.guard}.`);
  const judgements = await judgeWorlds(owner, { worldIds: run.worldIds }, () => { signal.throwIfAborted(); });
  for (const world of judgements) {
    for (const finding of world.findings.slice(0, 3)) say(`World ${world.worldId}, ${finding.proof}: ${finding.text}.`);
    if (world.why !== null) say(`World ${world.worldId} is unknown: ${world.why}.`);
  }
  return tally(owner, run, judgements);
}

/** A line for every tenth of a guard's commits. */
function progressLine(commits: number): (guard: GuardKind, done: number) => void {
  const step = Math.max(1, Math.ceil(commits / 10));
  return (guard, done) => { if (done % step === 0 || done === commits) say(`${guard}: ${String(done)} of ${String(commits)} commits`); };
}

async function withServer<T>(flags: Flags, signal: AbortSignal, use: (serverUrl: string) => Promise<T>): Promise<T> {
  if (flags.database !== undefined) {
    if (!URL.canParse(flags.database)) throw new UserError('--database takes a URL like postgres://user:password@host:5432/database.', 2);
    return use(flags.database);
  }
  const stack = await startStack({ parts: ['postgres'], stateDir: defaultStateDir(), say: (line) => { say(`${line.part}: ${line.text}`); }, signal });
  try {
    return await use(stack.postgres?.url ?? '');
  } finally {
    await stack.stop();
  }
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const admin = createPool({ url: serverUrl, max: 1, name: 'holdpoint-race-admin' });
  try {
    await admin.query(`drop database if exists ${name} with (force)`);
  } finally {
    await admin.end();
  }
}
