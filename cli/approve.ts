/** `holdpoint approve` and `holdpoint reject`: a person's decision about one proposal of one episode. */
import type { Command } from 'commander';
import { requestsOfEpisode, type ApprovalRow } from '../database/approvals.ts';
import { roleUrl } from '../database/migrate.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { printable, printResult, UserError, type CommandModule } from './output.ts';
import { connect } from './runtime/client.ts';
import { decide, type DecisionResult } from './runtime/decide.ts';
import { findSettings } from './runtime/settings.ts';

type Options = { json?: boolean; digest?: string; by: string; comment: string };

/** Exit code 0 where the decision was accepted, else 1: the reason is printed. */
export const registerApprove: CommandModule = (program) => {
  register(program, 'approve', 'Approve what an episode proposes.');
  register(program, 'reject', 'Reject what an episode proposes.');
};

function register(program: Command, verdict: 'approve' | 'reject', description: string): void {
  program
    .command(verdict)
    .description(description)
    .argument('<episodeId>', 'as `holdpoint approvals` shows it')
    .option('--digest <digest>', 'of the proposal that you saw; without it, the one that waits now')
    .option('--by <name>', 'who decides: a name on the policy\'s list', 'supervisor')
    .option('--comment <text>', 'kept with the decision', '')
    .option('--json', 'print one JSON document')
    .action(async (episodeId: string, options: Options) => {
      const result = await decideOnce(episodeId, verdict, options);
      printResult(options, { episodeId, ...result }, () => sentence(result));
      if (result.result !== 'accepted') process.exitCode = 1;
    });
}

async function decideOnce(episodeId: string, verdict: 'approve' | 'reject', options: Options): Promise<DecisionResult> {
  const settings = await findSettings();
  const pool = createPool({ url: roleUrl(settings.databaseUrl, 'holdpoint_worker'), max: 2, name: 'holdpoint-approve' });
  try {
    const request = await requested(pool, episodeId, options.digest);
    const connected = await connect(settings);
    try {
      const { by, comment } = options;
      return await decide({ client: connected.client, db: pool }, episodeId, { opKey: request.opKey, digest: options.digest ?? request.digest, verdict, by, comment });
    } finally {
      await connected.close();
    }
  } finally {
    await pool.end();
  }
}

/** The request that is meant: the one with the digest, else the latest. */
async function requested(pool: Pool, episodeId: string, digest: string | undefined): Promise<ApprovalRow> {
  if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest)) throw new UserError('--digest takes the 64 hexadecimal digits that `holdpoint approvals` shows.', 2);
  const rows = await requestsOfEpisode(pool, episodeId);
  const request = rows.find((row) => row.digest === digest && row.live) ?? rows.find((row) => row.digest === digest) ?? rows[0];
  if (request === undefined) throw new UserError(`No episode "${printable(episodeId)}" has asked for approval: \`holdpoint approvals\` lists what waits.`);
  return request;
}

function sentence({ result, reason, message, recorded }: DecisionResult): string {
  const stands = recorded === null || result === 'accepted' ? '' : ` Recorded: ${recorded.verdict} by ${printable(recorded.by)}.`;
  return `${result === 'refused' ? `Refused (${reason ?? 'unknown'}): ` : ''}${printable(message, 600)}${stands}`;
}
