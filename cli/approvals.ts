/** `holdpoint approvals`: what waits for a decision, with the command that decides it. */
import { setTimeout as wait } from 'node:timers/promises';
import { pendingRequests, type ApprovalRow } from '../database/approvals.ts';
import { roleUrl } from '../database/migrate.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { decisionCommand } from '../contract/shell-word.ts';
import { Proposal } from '../contract/proposal.ts';
import { printable, printResult, say, type CommandModule } from './output.ts';
import { findSettings } from './runtime/settings.ts';

/** Between two looks of `--watch`, in milliseconds. */
const watchEveryMs = 1_000;

/** Exit code 0. With `--watch` it prints again whenever something changed, until it is interrupted. */
export const registerApprovals: CommandModule = (program) => {
  program
    .command('approvals')
    .description('List the proposals that wait for a decision.')
    .option('--json', 'print one JSON document')
    .option('--watch', 'print again whenever the list changes')
    .action(async (options: { json?: boolean; watch?: boolean }) => {
      const pool = createPool({ url: roleUrl((await findSettings()).databaseUrl, 'holdpoint_reader'), max: 1, name: 'holdpoint-approvals' });
      try {
        await list(pool, options);
      } finally {
        await pool.end();
      }
    });
};

async function list(pool: Pool, options: { json?: boolean; watch?: boolean }): Promise<void> {
  let before: string | undefined;
  do {
    const rows = await pendingRequests(pool);
    const now = rows.map((row) => row.opKey).join('\n');
    if (now !== before) {
      if (before !== undefined) say('');
      printResult(options, { approvals: rows.map(shown) }, () => describe(rows));
    }
    before = now;
    if (options.watch === true) await wait(watchEveryMs);
  } while (options.watch === true);
}

/** A request as `--json` shows it: the exact proposal that the digest covers. */
function shown(row: ApprovalRow): Record<string, unknown> {
  const { opKey, episodeId, digest, tool, proposer, requestedAt, expiresAt, approvers } = row;
  return { episodeId, opKey, digest, tool, arguments: Proposal.parse(JSON.parse(row.proposal)).arguments, proposer, approvers, requestedAt, expiresAt };
}

/** For people: a block a request. Everything in it may be a model's text, so nothing of it can reach the terminal's controls. */
function describe(rows: readonly ApprovalRow[]): string {
  if (rows.length === 0) return 'Nothing waits for approval.';
  return rows.map((row) => [
    `${printable(row.tool)} ${printable(JSON.stringify(Proposal.parse(JSON.parse(row.proposal)).arguments), 600)}`,
    `  proposed by ${printable(row.proposer)}, until ${row.expiresAt}; may decide: ${printable(row.approvers.join(', '))}`,
    `  episode ${printable(row.episodeId)}`,
    `  ${decisionCommand('approve', row.episodeId, row.digest)}`,
  ].join('\n')).join('\n\n');
}
