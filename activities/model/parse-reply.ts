/**
 * Turns a model's raw reply, which is untrusted text, into a validated reply or one reason: never a repair, never a guess.
 *
 * The rules. `done_reason` is read first: anything but `stop` is a cut reply, whatever it parses to. The whole content must be one JSON value: a code fence, think
 * tags or a second object make it none, and the thinking text is never searched. A key may come once. An extra key is refused anywhere. Values are not coerced
 * and texts are compared letter by letter. An integer must be written as one: 3.0 is refused. The confidence may be absent and stays so; -0 is 0; other
 * numbers must be one of the steps. With `abstain`, tool and arguments are ignored unread. A row may be named only if it was read.
 */
import type { Reason } from '../../contract/failures.ts';
import type { Argument, Arguments, Reply } from '../../contract/proposal.ts';
import type { ArgumentSpec, ToolContract } from '../../guards/tool-contract.ts';
import { confidenceSteps } from './reply-schema.ts';
import { scanJson, type Scan } from './scan-json.ts';

/** A reply as it came. `doneReason` is the server's word for why it ended, empty where it said none. */
export type RawReply = { readonly content: string; readonly thinking: string; readonly doneReason: string };

/** What the reply is held against: the offered tool and the keys that were read, by argument name. */
export type Asked = { readonly contract: ToolContract; readonly keys: Arguments };

/** The reply, or why it is none. `detail` says where, in our own words: it holds no text of the model but key names, cut short. */
export type Parsed = { readonly ok: Reply } | { readonly failure: Reason; readonly detail: string };

class Refusal extends Error {
  readonly reason: Reason;
  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Parses a raw reply by the rules above. Whatever the reply is, it never throws. */
export function parseReply(raw: RawReply, asked: Asked): Parsed {
  try {
    if (raw.doneReason !== 'stop') throw new Refusal('model_truncated', `done_reason is "${short(raw.doneReason)}"`);
    if (raw.content.trim() === '') throw new Refusal('empty_content', raw.thinking === '' ? 'no content' : 'no content, but thinking text, which is not searched');
    const value = jsonOf(raw.content);
    const scan = scanJson(raw.content);
    if (scan.duplicate !== null) throw new Refusal('duplicate_key', short(scan.duplicate));
    return { ok: replyOf(value, scan, asked) };
  } catch (error) {
    if (error instanceof Refusal) return { failure: error.reason, detail: error.message };
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('not_json', 'the content is not one JSON value');
  }
}

function replyOf(value: unknown, scan: Scan, asked: Asked): Reply {
  const record = recordOf(value, 'reply', ['decision', 'tool', 'arguments', 'confidence']);
  const { decision } = record;
  if (decision !== 'act' && decision !== 'abstain') throw violation('decision', 'must be "act" or "abstain"');
  const confidence = 'confidence' in record ? { confidence: confidenceOf(record['confidence']) } : {};
  if (decision === 'abstain') return { decision, ...confidence };
  if (typeof record['tool'] !== 'string') throw violation('tool', 'must be a text');
  if (record['tool'] !== asked.contract.tool) throw new Refusal('unknown_tool', `"${short(record['tool'])}" was not offered`);
  return { decision, tool: record['tool'], arguments: argumentsOf(record['arguments'], scan, asked), ...confidence };
}

function confidenceOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > 1) throw new Refusal('confidence_out_of_scale', 'confidence: must be a number from 0 to 1');
  if (!confidenceSteps.includes(value)) throw violation('confidence', 'must be a step of 0.05');
  return value === 0 ? 0 : value; // -0 equals 0 and is stored as 0
}

function argumentsOf(value: unknown, scan: Scan, { contract, keys }: Asked): Arguments {
  const record = recordOf(value, 'arguments', Object.keys(contract.arguments));
  const entries = Object.entries(contract.arguments).map(([name, spec]): [string, Argument] => {
    const path = `arguments.${name}`;
    if (!Object.hasOwn(record, name)) throw violation(path, 'is missing');
    return [name, spec.type === 'integer' ? integerOf(record[name], scan.numbers.get(path), { path, minimum: spec.minimum }) : textOf(record[name], path, spec)];
  });
  for (const [name, argument] of entries)
    if (Object.hasOwn(keys, name) && keys[name] !== argument) throw new Refusal('unread_entity', `arguments.${name}: names a row that was not read`);
  return Object.fromEntries(entries);
}

function integerOf(value: unknown, literal: string | undefined, { path, minimum }: { path: string; minimum: number }): number {
  if (typeof value !== 'number' || literal === undefined || !/^-?\d+$/.test(literal)) throw violation(path, 'must be written as an integer');
  if (!Number.isSafeInteger(value)) throw violation(path, 'is beyond 2^53');
  if (value < minimum) throw violation(path, `must be at least ${String(minimum)}`);
  return value === 0 ? 0 : value;
}

type TextSpec = Extract<ArgumentSpec, { type: 'text' }>;

function textOf(value: unknown, path: string, spec: TextSpec): string {
  if (typeof value !== 'string') throw violation(path, 'must be a text');
  const { maxLength } = spec;
  if (value.trim() === '' || value.length > maxLength) throw violation(path, `must have 1 to ${String(maxLength)} characters`);
  if (/\p{Cc}|\p{Cs}/u.test(value)) throw violation(path, 'must not hold control characters or half surrogates');
  return value;
}

function recordOf(value: unknown, path: string, allowed: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw violation(path, 'must be an object');
  const extra = Object.keys(value).find((key) => !allowed.includes(key));
  if (extra !== undefined) throw violation(`${path}.${short(extra)}`, 'is not asked for');
  return value as Readonly<Record<string, unknown>>;
}

function violation(path: string, what: string): Refusal {
  return new Refusal('schema_violation', `${path}: ${what}`);
}

/** At most 40 characters, without any that a terminal or a log would obey. */
function short(text: string): string {
  return text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?').slice(0, 40);
}
