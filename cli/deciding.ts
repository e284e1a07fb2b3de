/** `holdpoint approve`, `reject`, `edit`, `comment` and `escalate`: what a person says about one proposal, or about many. */
import type { Command } from 'commander';
import type { Speech } from '../inbox/decide.ts';
import { withFilter, type FilterFlags } from './approvals/filter.ts';
import { decideMany } from './deciding/bulk.ts';
import { commentFor, digestFrom } from './deciding/flags.ts';
import { decideOne, type OneFlags } from './deciding/one.ts';
import { UserError, type CommandModule } from './output.ts';

type Flags = OneFlags & FilterFlags & { readonly all?: boolean; readonly confirm?: string };

const token = `
Who decides is proved by a token: HOLDPOINT_TOKEN, or a file with --token-file, never an argument that others can read.`;
const bulk = (kind: string): string => `
  holdpoint ${kind} --all --tool change_delivery_address --due-within 1h${kind === 'escalate' ? ' --to group:night-shift' : ''}
  ...the same with --confirm and the digest that it printed, which does it`;

/** Exit code 0 where everything was accepted, else 1 with the reason; 2 where the command was used wrongly. */
export const registerDeciding: CommandModule = (program) => {
  const raw = (command: Command): Command => command.option('--by <name>', "without a token only: a name on the policy's list (default: supervisor), recorded as unauthenticated, where the policy takes that");
  many(raw(deciding(program, 'approve', 'Approve what an episode proposes.')), 'approve', `
  holdpoint approve --token-file maria.token my-episode --digest 5f1c…
  holdpoint approve my-episode --by supervisor`);
  many(raw(deciding(program, 'reject', 'Reject what an episode proposes.')), 'reject', `
  holdpoint reject --token-file maria.token my-episode --comment "wrong street"`);
  one(deciding(program, 'edit', 'Put other arguments in place of the proposed ones: a new proposal, which somebody else must approve.')
    .requiredOption('--set <name=value...>', 'an argument and what it shall be; the others stay'), 'edit', `
  holdpoint edit --token-file maria.token my-episode --set "newAddress=12 Mill Lane"`);
  many(deciding(program, 'comment', 'Say something about a proposal without deciding.'), 'comment', `
  holdpoint comment --token-file maria.token my-episode --comment "asked the customer"`);
  many(deciding(program, 'escalate', 'Hand a proposal on: from then on only they decide.').requiredOption('--to <whom>', "a person, or group:<name>, on the policy's list: somebody there must be allowed to decide"), 'escalate', `
  holdpoint escalate --token-file maria.token my-episode --to group:night-shift`);
};

function deciding(program: Command, kind: Speech['kind'], description: string): Command {
  const command = program.command(kind).description(description)
    .option('--digest <digest>', 'of the proposal that you saw; without it, the one that waits now', digestFrom('--digest', '`holdpoint show` shows'))
    .option('--token-file <path>', 'a file with the token of who decides; default HOLDPOINT_TOKEN')
    .option('--json', 'print one JSON document');
  return kind === 'comment' ? command.requiredOption('--comment <text>', 'what is to be said, at most 2,000 characters', commentFor(kind)) : command.option('--comment <text>', 'kept with the decision, at most 2,000 characters', commentFor(kind), '');
}

function one(command: Command, kind: Speech['kind'], examples: string): void {
  command.argument('<episodeId>', 'as `holdpoint approvals` shows it').addHelpText('after', `${token}\n\nExamples:${examples}`)
    .action(async (episodeId: string, flags: Flags) => { await decideOne(episodeId, kind, flags); });
}

function many(command: Command, kind: Speech['kind'], examples: string): void {
  withFilter(command.argument('[episodeId]', 'as `holdpoint approvals` shows it').option('--all', 'everything that whoever decides may decide and that the filters below leave: first only shown')
    .option('--confirm <digest>', 'with --all: do what was shown under this digest', digestFrom('--confirm', 'the same command prints without it')))
    .addHelpText('after', `${token}\n\nExamples:${examples}${bulk(kind)}`)
    .action(async (episodeId: string | undefined, flags: Flags) => {
      const { all, confirm, tool, proposer, domain, batch, dueWithin, digest } = flags;
      const choosing = [confirm, tool, proposer, domain, batch, dueWithin].some((flag) => flag !== undefined);
      if ((episodeId === undefined) !== (all === true)) throw new UserError('Name one episode, or choose many with --all.', 2);
      if (all !== true && choosing) throw new UserError('--confirm and the filters choose among many: they go with --all.', 2);
      if (all === true && digest !== undefined) throw new UserError('--digest means one proposal: with --all, give --confirm.', 2);
      await (episodeId === undefined ? decideMany(kind, flags) : decideOne(episodeId, kind, flags));
    });
}
