/** How people say which waiting requests they mean. */
import type { Command } from 'commander';
import { Domain } from '../../contract/case.ts';
import { toolsOf } from '../../database/tool-facts.ts';
import { nameProblem } from '../../database/tokens.ts';
import type { WaitingFilter } from '../../database/waiting.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { printable, UserError } from '../output.ts';
import { spanMs } from '../runtime/span.ts';

/** The flags as commander hands them over. */
export type FilterFlags = { readonly tool?: string; readonly proposer?: string; readonly domain?: string; readonly batch?: string; readonly dueWithin?: string };

/** Adds the flags to a command. */
export function withFilter(command: Command): Command {
  return command
    .option('--tool <tool>', 'only requests about this tool')
    .option('--proposer <name>', 'only what this agent or person proposed, such as agent:smollm2-135m or person:maria.lindqvist')
    .option('--domain <domain>', `only one domain: ${Domain.options.join(', ')}`)
    .option('--batch <id>', 'only the episodes of one batch')
    .option('--due-within <span>', 'only what must be decided within a number with s, m, h or d, such as 30m');
}

/** The filter that the flags mean. @throws UserError (exit 2) for a tool or domain that does not exist, or a span that is none */
export function filterOf({ tool, proposer, domain, batch, dueWithin }: FilterFlags): WaitingFilter {
  if (tool !== undefined && toolContract(tool) === undefined) throw new UserError(`--tool: there is no tool "${printable(tool)}".`, 2);
  const known = Domain.safeParse(domain);
  if (domain !== undefined && !known.success) throw new UserError(`--domain takes one of ${Domain.options.join(', ')}.`, 2);
  const ofDomain = known.success ? toolsOf(known.data) : undefined;
  const tools = tool === undefined ? ofDomain : [tool].filter((name) => ofDomain?.includes(name) ?? true);
  return {
    ...(tools && { tools }), ...(proposer !== undefined && { proposer }), ...(batch !== undefined && { batchId: batch }), ...(dueWithin !== undefined && { dueWithinMs: spanMs('--due-within', dueWithin) }),
  };
}

/** Somebody to decide, named by hand. @throws UserError (exit 2) where nobody can have this name */
export function personNamed(flag: string, name: string): string {
  const problem = nameProblem(name);
  if (problem !== null) throw new UserError(`${flag}: ${problem}`, 2);
  return name;
}

/** Narrows a filter to what one person may decide; `tools`: null for all of them. */
export function forPerson(filter: WaitingFilter, { person, tools }: { readonly person: string; readonly tools: readonly string[] | null }): WaitingFilter {
  const both = tools === null ? filter.tools : (filter.tools ?? tools).filter((tool) => tools.includes(tool));
  return { ...filter, ...(both && { tools: both }), approver: person };
}
