/** `holdpoint token`: makes, lists and revokes the tokens by which people prove who they are. */
import type { Command } from 'commander';
import { roleUrl } from '../database/role-url.ts';
import { createPool } from '../database/pool.ts';
import { createToken, listTokens, revokeToken, scopes, type Scope, type TokenRow } from '../database/tokens.ts';
import { toolContract } from '../guards/tools/index.ts';
import { printable, printResult, say, UserError, type CommandModule } from './output.ts';
import { asOwner } from './runtime/owner.ts';
import { findSettings } from './runtime/settings.ts';
import { spanMs } from './runtime/span.ts';
import { columns } from './runtime/columns.ts';

type Flags = { json?: boolean; scopes: string; tools?: string; for: string };

const examples = `
A token is printed once, on standard output, and cannot be shown again; the database keeps its SHA-256. Its bearer gives it to a command as HOLDPOINT_TOKEN or with --token-file.

Examples:
  (umask 077; holdpoint token create maria.lindqvist --for 8h > maria.token)
  holdpoint token create night.shift --scopes view,approve,reject --tools scale_service,roll_back_release --for 30d
  holdpoint token list --json
  holdpoint token revoke 5f1c0a9d2b7e`;

/** Exit code 0; 1 where there is no such token or the URL is not the owner's, 2 for a name, scope, tool or lifetime that cannot be. */
export const registerToken: CommandModule = (program) => {
  const token = program.command('token').description('Make, list and revoke the tokens by which people prove who decides.').addHelpText('after', examples);
  token.command('create')
    .description('Make a token for somebody, as the owner of the database, and print it once.')
    .argument('<person>', "the name on the policies' lists, letter for letter")
    .option('--scopes <scopes>', `what it is good for, with commas between: ${scopes.join(', ')}`, scopes.join(','))
    .option('--tools <tools>', 'for which tools, with commas between; without it, for all')
    .option('--for <span>', 'how long it is good: a number with s, m, h or d, at most 366d', '12h')
    .option('--json', 'print one JSON document')
    .action(create);
  listing(token.command('list').description('List all tokens, without what they are.'));
  token.command('revoke')
    .description('Take a token out of force for good: what it approved and is not committed yet is denied.')
    .argument('<tokenId>', 'as `holdpoint token list` shows it')
    .option('--json', 'print one JSON document')
    .action(async (tokenId: string, flags: { json?: boolean }) => {
      const row = await asOwner((owner) => revokeToken(owner, tokenId));
      if (row === undefined) throw new UserError(`There is no token "${printable(tokenId)}": \`holdpoint token list\` shows them.`);
      printResult(flags, row, () => `The token ${row.tokenId} of ${printable(row.person)} is revoked since ${row.revokedAt ?? ''}.`);
    });
};

async function create(person: string, flags: Flags): Promise<void> {
  const tools = flags.tools === undefined ? undefined : listOf(flags.tools);
  const unknown = tools?.find((tool) => toolContract(tool) === undefined);
  if (unknown !== undefined || tools?.length === 0) throw new UserError(`--tools: there is no tool "${printable(unknown ?? '')}".`, 2);
  const wanted = listOf(flags.scopes) as Scope[];
  const { token, row } = await asOwner((owner) => createToken(owner, { person, scopes: wanted, ttlMs: spanMs('--for', flags.for), ...(tools && { tools }) }));
  printResult(flags, { token, ...row }, () => token);
  if (flags.json !== true) say(`The token ${row.tokenId} of ${printable(person)}, good for ${row.scopes.join(', ')} until ${row.expiresAt}. It is not shown again.`);
}

function listing(command: Command): void {
  command.option('--json', 'print one JSON document').action(async (flags: { json?: boolean }) => {
    const pool = createPool({ url: roleUrl((await findSettings()).databaseUrl, 'holdpoint_reader'), max: 1, name: 'holdpoint-tokens' });
    try {
      const tokens = await listTokens(pool);
      printResult(flags, { tokens }, () => describe(tokens));
    } finally {
      await pool.end();
    }
  });
}

function describe(tokens: readonly TokenRow[]): string {
  if (tokens.length === 0) return 'There are no tokens.';
  const state = (row: TokenRow): string => (row.revokedAt !== null ? `revoked ${row.revokedAt}` : row.inForce ? `until ${row.expiresAt}` : `expired ${row.expiresAt}`);
  return columns(['token', 'person', 'state', 'tools', 'good for'], tokens.map((row) => [row.tokenId, row.person, state(row), row.tools?.join(', ') ?? 'all', row.scopes.join(', ')]));
}

function listOf(text: string): string[] {
  return text.split(',').map((part) => part.trim()).filter((part) => part !== '');
}
