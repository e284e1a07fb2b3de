/** The form of a reply as a JSON schema, sent to the server as `format`: the small subset that every grammar compiler of Ollama knows. */
import type { Argument, Arguments } from '../../contract/proposal.ts';
import type { ArgumentSpec, ToolContract } from '../../guards/tool-contract.ts';

/**
 * The subset: no `$ref`, `$defs`, `anyOf`, `oneOf` or `const`, which some servers drop without a word. Numbers are an enum, because a grammar does not bound them
 * (100.6 was seen for a confidence of 0 to 1).
 */
export type JsonSchema =
  | { readonly type: 'object'; readonly properties: Readonly<Record<string, JsonSchema>>; readonly required: readonly string[]; readonly additionalProperties: false }
  | { readonly type: 'string'; readonly enum: readonly string[] }
  | { readonly type: 'string'; readonly minLength: number; readonly maxLength: number }
  | { readonly type: 'number'; readonly enum: readonly number[] }
  | { readonly type: 'integer' };

/** What an abstaining model writes in place of a tool. */
export const noTool = 'none';

/** The only values of a confidence: 0 to 1 in steps of 0.05. */
export const confidenceSteps: readonly number[] = Array.from({ length: 21 }, (_, step) => step / 20);

/**
 * The reply's schema for one offered tool, flat and short, in the order in which a model writes: the decision first, the confidence last. `keys` are the rows
 * that were read: an argument that names a row can name no other.
 */
export function replySchema(contract: ToolContract, keys: Arguments): JsonSchema {
  return object({
    decision: { type: 'string', enum: ['act', 'abstain'] },
    tool: { type: 'string', enum: [contract.tool, noTool] },
    arguments: object(Object.fromEntries(Object.entries(contract.arguments).map(([name, spec]) => [name, argumentSchema(spec, keys[name])]))),
    confidence: { type: 'number', enum: confidenceSteps },
  });
}

function argumentSchema(spec: ArgumentSpec, key: Argument | undefined): JsonSchema {
  if (typeof key === 'string') return { type: 'string', enum: [key] };
  return spec.type === 'integer' ? { type: 'integer' } : { type: 'string', minLength: 1, maxLength: spec.maxLength };
}

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
