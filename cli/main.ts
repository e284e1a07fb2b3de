/** The composition root: collects the commands, and turns every failure into one sentence and an exit code. */
import { Command, CommanderError } from 'commander';
import { say, UserError, type CommandModule } from './output.ts';

const deciding = async (): Promise<CommandModule> => (await import('./deciding.ts')).registerDeciding;

/** By name, in the order of the help. Only what is asked for is loaded: Temporal's SDK alone takes longer than most commands. */
const commands: Readonly<Record<string, () => Promise<CommandModule>>> = {
  start: async () => (await import('./start.ts')).registerStart,
  demo: async () => (await import('./demo.ts')).registerDemo,
  run: async () => (await import('./run.ts')).registerRun,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  clean: async () => (await import('./clean.ts')).registerClean,
  worker: async () => (await import('./worker.ts')).registerWorker,
  approvals: async () => (await import('./approvals.ts')).registerApprovals,
  show: async () => (await import('./show.ts')).registerShow,
  approve: deciding,
  reject: deciding,
  edit: deciding,
  comment: deciding,
  escalate: deciding,
  token: async () => (await import('./token.ts')).registerToken,
  group: async () => (await import('./group.ts')).registerGroup,
  inbox: async () => (await import('./inbox.ts')).registerInbox,
  audit: async () => (await import('./audit.ts')).registerAudit,
  leaks: async () => (await import('./leaks.ts')).registerLeaks,
  explain: async () => (await import('./explain.ts')).registerExplain,
  fork: async () => (await import('./fork.ts')).registerFork,
  'propose-rollback': async () => (await import('./propose-rollback.ts')).registerProposeRollback,
  reconcile: async () => (await import('./reconcile.ts')).registerReconcile,
  freeze: async () => (await import('./freeze.ts')).registerFreeze,
  evaluate: async () => (await import('./evaluate.ts')).registerEvaluate,
  report: async () => (await import('./report.ts')).registerReport,
  train: async () => (await import('./train.ts')).registerTrain,
  race: async () => (await import('./race.ts')).registerRace,
  endure: async () => (await import('./endure.ts')).registerEndure,
  bench: async () => (await import('./bench.ts')).registerBench,
  replay: async () => (await import('./replay.ts')).registerReplay,
  histories: async () => (await import('./histories.ts')).registerHistories,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  stop: async () => (await import('./stop.ts')).registerStop,
};

/** Parses `argv` and runs one command. Exit codes: 0 done, 1 failed, 2 used wrongly. */
export async function main(argv: string[]): Promise<void> {
  const program = new Command('holdpoint');
  program
    .description('Durable approval pauses and guarded commits for language-model agents that change shared state.')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
    .showSuggestionAfterError();
  try {
    for (const load of asked(argv)) (await load())(program);
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** The one command that is named, or all of them, for the help and for what is no command. */
function asked(argv: readonly string[]): readonly (() => Promise<CommandModule>)[] {
  const name = argv[2] ?? '';
  const own = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return own === undefined ? [...new Set(Object.values(commands))] : [own];
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UserError) {
    say(`holdpoint: ${error.message}`);
    return error.exitCode;
  }
  say(`holdpoint: ${sentenceOf(error)}`);
  if (process.env['HOLDPOINT_DEBUG'] !== undefined && error instanceof Error) say(error.stack ?? '');
  return 1;
}

/** An error that nobody foresaw, in one sentence; where the database refused the connection, with what to look at. */
function sentenceOf(error: unknown): string {
  const text = (error instanceof Error ? error.message || error.name : String(error)).split('\n')[0] ?? '';
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === '28P01' || code === '28000' || code === '3D000' || code === 'ECONNREFUSED' ? `${text}: check DATABASE_URL, and that the database is migrated.` : text;
}
