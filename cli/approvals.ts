/** `holdpoint approvals`: what waits for a decision, as a table or one document, from one query. */
import { setTimeout as wait } from 'node:timers/promises';
import { roleUrl } from '../database/role-url.ts';
import { createPool, type Pool } from '../database/pool.ts';
import { identify, tokenHash } from '../database/tokens.ts';
import { waitingRequests, type Waiting, type WaitingFilter } from '../database/waiting.ts';
import { unknownToken } from '../inbox/sentences.ts';
import { filterOf, forPerson, personNamed, withFilter, type FilterFlags } from './approvals/filter.ts';
import { shownRequest, table } from './approvals/table.ts';
import { printResult, say, UserError, wholeNumber, type CommandModule } from './output.ts';
import { findSettings } from './runtime/settings.ts';
import { findToken } from './runtime/token.ts';
import { listenForEnd } from './start/ending.ts';

type Flags = FilterFlags & { json?: boolean; watch?: boolean; limit: number; approver?: string; forMe?: boolean; tokenFile?: string };

/** Between two looks of `--watch`, in milliseconds. */
const watchEveryMs = 1_000;

const examples = `
Examples:
  holdpoint approvals --due-within 30m
  holdpoint approvals --domain billing --approver maria.lindqvist --json
  HOLDPOINT_TOKEN=$(cat maria.token) holdpoint approvals --for-me --watch
  holdpoint show my-episode                     one of them, with all that there is to know`;

/** Exit code 0. With `--watch` it prints again whenever something changed, until it is interrupted. */
export const registerApprovals: CommandModule = (program) => {
  withFilter(program.command('approvals').description('List the proposals that wait for a decision, what is due first at the top.'))
    .option('--approver <name>', 'only what this person may decide now')
    .option('--for-me', "only what the token's bearer may decide now")
    .option('--token-file <path>', 'the token for --for-me; default HOLDPOINT_TOKEN')
    .option('--limit <n>', 'at most so many', wholeNumber('--limit', { min: 1, max: 10_000 }), 1_000)
    .option('--watch', 'print again whenever the list changes')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => {
      if (flags.forMe === true && flags.approver !== undefined) throw new UserError('--for-me and --approver name two people: give one of them.', 2);
      const filter = filterOf(flags);
      const { databaseUrl } = await findSettings();
      const pool = createPool({ url: roleUrl(databaseUrl, flags.forMe === true ? 'holdpoint_worker' : 'holdpoint_reader'), max: 1, name: 'holdpoint-approvals' });
      try {
        await list(pool, await narrowed(pool, filter, flags), flags);
      } finally {
        await pool.end();
      }
    });
};

async function narrowed(pool: Pool, filter: WaitingFilter, { approver, forMe, tokenFile }: Flags): Promise<WaitingFilter> {
  if (approver !== undefined) return forPerson(filter, { person: personNamed('--approver', approver), tools: null });
  if (forMe !== true) return filter;
  const token = await findToken(tokenFile);
  if (token === undefined) throw new UserError('--for-me needs a token: set HOLDPOINT_TOKEN or give --token-file.', 2);
  const bearer = await identify(pool, tokenHash(token));
  if (bearer === undefined) throw new UserError(unknownToken);
  return forPerson(filter, bearer);
}

async function list(pool: Pool, filter: WaitingFilter, flags: Flags): Promise<void> {
  const print = (waiting: Waiting): void => { printResult(flags, { approvals: waiting.rows.map(shownRequest), total: waiting.total }, () => describe(waiting)); };
  if (flags.watch !== true) {
    print(await waitingRequests(pool, filter, { limit: flags.limit }));
    return;
  }
  const ending = listenForEnd('', 'nothing.');
  try {
    let before: string | undefined;
    while (!ending.signal.aborted) {
      const waiting = await waitingRequests(pool, filter, { limit: flags.limit });
      const now = JSON.stringify(waiting);
      if (now !== before) {
        if (before !== undefined) say('');
        print(waiting);
      }
      before = now;
      await wait(watchEveryMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  } finally {
    ending.release();
  }
}

function describe({ rows, total }: Waiting): string {
  if (rows.length === 0) return 'Nothing waits for approval.';
  const more = total > rows.length ? `${String(rows.length)} of ${String(total)} are shown: narrow the list, or raise --limit.` : `${String(total)} wait${total === 1 ? 's' : ''}.`;
  return `${table(rows, Date.now())}\n${more} \`holdpoint show <episode>\` shows one with the command that decides it.`;
}
