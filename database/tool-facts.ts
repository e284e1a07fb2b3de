/** What a tool's contract says to people: its domain, its words, and what is wrong with arguments that somebody puts in place of the proposed ones. */
import type { Domain } from '../contract/case.ts';
import { canonicalText } from '../contract/digest.ts';
import { rollbackTool } from '../contract/names.ts';
import { Arguments, type Proposal } from '../contract/proposal.ts';
import { argumentProblem } from '../guards/tool-contract.ts';
import { toolContract, tools } from '../guards/tools/index.ts';
import { rollbackWords } from '../guards/tools/rollback-words.ts';

/** The tools of a domain, by name. */
export function toolsOf(domain: Domain): readonly string[] {
  return tools.filter((contract) => contract.domain === domain).map((contract) => contract.tool);
}

/** The domain of a tool; null where no contract has this name. */
export function domainOf(tool: string): Domain | null {
  return toolContract(tool)?.domain ?? null;
}

/** A call in words, a line each: what the tool does, then every argument with what it stands for. The values are a model's or a person's own text. */
export function callInWords({ tool, arguments: args }: Pick<Proposal, 'tool' | 'arguments'>): readonly string[] {
  const contract = tool === rollbackTool ? rollbackWords : toolContract(tool);
  const described = (name: string): string => contract?.arguments[name]?.description ?? 'not known to the tool';
  return [contract?.description ?? 'No tool of this name is known.', ...Object.entries(args).map(([name, value]) => `${name} (${described(name)}): ${JSON.stringify(value)}`)];
}

/** Arguments of an edit as the text that is kept, or what is wrong with them in a few words. One form only, so that saying the same again is the same. */
export function editedArguments({ tool, arguments: proposed }: Pick<Proposal, 'tool' | 'arguments'>, given: unknown): { readonly text: string } | { readonly problem: string } {
  const args = Arguments.safeParse(given);
  const contract = toolContract(tool);
  if (tool === rollbackTool) return { problem: 'a rollback is about one commit, and nothing of it can be edited' };
  if (contract === undefined) return { problem: `there is no tool ${JSON.stringify(tool)}` };
  if (!args.success) return { problem: 'arguments are texts of at most 500 characters or whole numbers, by name' };
  const problem = argumentProblem(contract, args.data);
  if (problem !== null) return { problem };
  const text = canonicalText(args.data);
  return text === canonicalText(proposed) ? { problem: 'nothing is changed by it' } : { text };
}
