/** The composition root: collects the commands, and turns every failure into one sentence and an exit code. */
import { Command, CommanderError } from 'commander';
import { registerApprovals } from './approvals.ts';
import { registerAudit } from './audit.ts';
import { registerBench } from './bench.ts';
import { registerClean } from './clean.ts';
import { registerDeciding } from './deciding.ts';
import { registerDemo } from './demo.ts';
import { registerDoctor } from './doctor.ts';
import { registerEndure } from './endure.ts';
import { registerEvaluate } from './evaluate.ts';
import { registerExplain } from './explain.ts';
import { registerFork } from './fork.ts';
import { registerFreeze } from './freeze.ts';
import { registerGroup } from './group.ts';
import { say, UserError, type CommandModule } from './output.ts';
import { registerRace } from './race.ts';
import { registerHistories } from './histories.ts';
import { registerInbox } from './inbox.ts';
import { registerLeaks } from './leaks.ts';
import { registerMigrate } from './migrate.ts';
import { registerProposeRollback } from './propose-rollback.ts';
import { registerReconcile } from './reconcile.ts';
import { registerReport } from './report.ts';
import { registerRun } from './run.ts';
import { registerReplay } from './replay.ts';
import { registerShow } from './show.ts';
import { registerStart } from './start.ts';
import { registerStop } from './stop.ts';
import { registerToken } from './token.ts';
import { registerTrain } from './train.ts';
import { registerWorker } from './worker.ts';

const commands: CommandModule[] = [registerStart, registerDemo, registerRun, registerMigrate, registerClean, registerWorker, registerApprovals, registerShow, registerDeciding, registerToken, registerGroup, registerInbox, registerAudit, registerLeaks, registerExplain, registerFork, registerProposeRollback, registerReconcile, registerFreeze, registerEvaluate, registerReport, registerTrain, registerRace, registerEndure, registerBench, registerReplay, registerHistories, registerDoctor, registerStop];

/** Parses `argv` and runs one command. Exit codes: 0 done, 1 failed, 2 used wrongly. */
export async function main(argv: string[]): Promise<void> {
  const program = new Command('holdpoint');
  program
    .description('Durable approval pauses and guarded commits for language-model agents that change shared state.')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
    .showSuggestionAfterError();
  for (const register of commands) register(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
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
