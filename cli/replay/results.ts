/** What neither the SDK nor the code can contradict, because it came from outside: results of activities, held against their form, each other and the workflow's input. */
import { opKeyOf } from '../../contract/names.ts';
import { callsOf, givenInput, type Call } from './calls.ts';
import { againstFacts } from './facts.ts';
import { finding, unequal, type Finding } from './finding.ts';
import { forms } from './forms.ts';
import { shown } from './leaves.ts';
import { opened, openedRollback } from './opened.ts';
import type { ReadHistory } from './read-history.ts';
import type { Sent } from './sent.ts';

type Json = Readonly<Record<string, unknown>>;

/** The contradictions inside a history. Of a batch only the forms are known: its children's histories say the rest. */
export function contradictions(read: ReadHistory, sent: Sent): Finding[] {
  const calls = callsOf(read.history, sent);
  const malformed = calls.flatMap(formFault);
  if (malformed.length > 0) return malformed;
  if (read.workflowType === 'rollback') return openedRollback(read, calls);
  if (read.workflowType !== 'episode') return [];
  return [...opened(read, calls), ...calls.flatMap((call) => proposed(read, call)), ...calls.flatMap(finished), ...againstFacts(calls, read.workflowId)];
}

function formFault({ event, name, result }: Call): Finding[] {
  const issue = forms[name]?.safeParse(result).error?.issues[0];
  return issue === undefined ? [] : [finding(event, ['the result of ' + name, ...issue.path.map(String)].join(', '), { expected: issue.message, found: shown(at(result, issue.path)) })];
}

/** A proposal is the one that was asked for: its op key, and its proposer unless a person edited. */
function proposed({ workflowId, history }: ReadHistory, { event, name, input, result }: Call): Finding[] {
  const { kind, opKey, proposer, tool, summary } = (result ?? {}) as Json;
  if (name !== 'propose' || kind !== 'act') return [];
  const { step, edit } = input as Json;
  // A fork proposes what was recorded, whoever proposed that: its facts say who.
  const { model, fork } = (givenInput(history) ?? {}) as Json;
  return [
    ...unequal(event, 'the result of propose, opKey', [opKeyOf(workflowId, Number(step)), opKey]),
    ...unequal(event, 'the result of propose, tool', [String(summary).split(' ', 1)[0], tool]),
    ...(edit === undefined && fork === undefined && typeof model === 'string' ? unequal(event, 'the result of propose, proposer', [`agent:${model}`, proposer]) : []),
  ];
}

/** What was committed stays committed, and is written down as it was: only a commit in flight can turn an end into a commit. */
function finished({ event, name, input, result }: Call): Finding[] {
  if (name === 'commit') {
    const { ledgerId, ended } = result as Json;
    return ended === undefined ? [] : unequal(event, 'the result of commit, ended.ledgerId', [ledgerId, (ended as Json)['ledgerId']]);
  }
  if (name !== 'finishEpisode' || input === null) return [];
  const { outcome: asked, close, score } = input as Json;
  const { outcome, leaked } = result as Json;
  const isTurned = close !== null && (outcome as Json)['class'] === 'committed';
  return [
    ...(isTurned ? [] : (['class', 'reason', 'ledgerId'] as const).flatMap((key) => unequal(event, `the result of finishEpisode, outcome.${key}`, [(asked as Json)[key], (outcome as Json)[key]]))),
    ...(score === false ? unequal(event, 'the result of finishEpisode, leaked', [null, leaked]) : []),
  ];
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined), value);
}
