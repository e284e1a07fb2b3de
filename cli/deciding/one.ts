/** One decision about one request. */
import { rollbackTool } from '../../contract/names.ts';
import { Proposal, type Arguments } from '../../contract/proposal.ts';
import type { Speech } from '../../inbox/decide.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { printable, printResult, UserError } from '../output.ts';
import { meant } from './request.ts';
import { withSpeaker, type Spoken, type WhoFlags } from './speaker.ts';

/** The flags of one decision. `set`: of an edit, `name=value` each. */
export type OneFlags = WhoFlags & { readonly json?: boolean; readonly digest?: string; readonly comment: string; readonly to?: string; readonly set?: readonly string[] };

/** Decides and prints. Exit code 1 where it was not accepted. */
export async function decideOne(episodeId: string, kind: Speech['kind'], flags: OneFlags): Promise<void> {
  const { answer, isProved } = await withSpeaker(flags, kind, async (speaker, db) => {
    const request = await meant(db, episodeId, flags.digest);
    const { tool, arguments: args } = Proposal.parse(JSON.parse(request.proposal));
    const changed = flags.set === undefined ? undefined : { ...args, ...settings(tool, flags.set) };
    const answer = await speaker.say({
      episodeId: request.episodeId, kind, opKey: request.opKey, digest: flags.digest ?? request.digest, comment: flags.comment, ...(flags.to !== undefined && { to: flags.to }), ...(changed && { arguments: changed }),
    });
    return { answer, isProved: speaker.isProved };
  });
  printResult(flags, { episodeId, ...answer, authenticated: isProved }, () => `${sentence(answer)}${answer.result === 'accepted' && !isProved ? ' Recorded as unauthenticated: nothing proves who decided.' : ''}`);
  if (answer.result !== 'accepted') process.exitCode = 1;
}

/** What became of it, for people. */
export function sentence({ result, reason, message, recorded }: Spoken): string {
  const stands = recorded === null || result === 'accepted' ? '' : ` Recorded: ${recorded.verdict} by ${printable(recorded.by)}${recorded.at === null ? '' : ` at ${recorded.at}`}.`;
  return `${result === 'refused' ? `Refused (${reason ?? 'unknown'}): ` : ''}${printable(message, 600)}${stands}`;
}

/** Reads `name=value`; whole numbers where the tool takes one. @throws UserError (exit 2) */
function settings(tool: string, given: readonly string[]): Arguments {
  const specs = toolContract(tool)?.arguments;
  if (specs === undefined) throw new UserError(tool === rollbackTool ? 'A rollback is about one commit: nothing of it can be edited. Approve or reject it.' : `Nothing is known of the tool "${printable(tool)}", so that its arguments cannot be edited.`);
  return Object.fromEntries(given.map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (spec === undefined) throw new UserError(`--set takes name=value, where the name is one of ${Object.keys(specs).join(', ')}.`, 2);
    if (spec.type === 'integer' && !/^-?\d{1,15}$/.test(value)) throw new UserError(`--set ${name} takes a whole number.`, 2);
    return [name, spec.type === 'integer' ? Number(value) : value];
  }));
}
