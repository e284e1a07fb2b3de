/** What neither the SDK nor the code can contradict, because it came from outside: results of activities, held against their form, each other and the workflow's input. */
import { EpisodeInput, remindAfterMs } from '../../contract/episode-input.ts';
import { guardLabel, opKeyOf } from '../../contract/names.ts';
import { callsOf, givenInput, type Call } from './calls.ts';
import { againstFacts } from './facts.ts';
import { finding, type Finding } from './finding.ts';
import { forms } from './forms.ts';
import { textOf } from './item.ts';
import { firstDifference } from './leaves.ts';
import type { ReadHistory } from './read-history.ts';
import type { Sent } from './sent.ts';

type Json = Readonly<Record<string, unknown>>;

/** The contradictions inside a history. Of a batch only the forms are known: its children's histories say the rest. */
export function contradictions(read: ReadHistory, sent: Sent): Finding[] {
  const calls = callsOf(read.history, sent);
  const malformed = calls.flatMap(formFault);
  if (malformed.length > 0 || read.workflowType !== 'episode') return malformed;
  return [...opened(read, calls), ...calls.flatMap((call) => proposed(read, call)), ...calls.flatMap(finished), ...againstFacts(calls, read.workflowId)];
}

function formFault({ event, name, result }: Call): Finding[] {
  const issue = forms[name]?.safeParse(result).error?.issues[0];
  return issue === undefined ? [] : [finding(event, ['the result of ' + name, ...issue.path.map(String)].join(', '), { expected: issue.message, found: JSON.stringify(at(result, issue.path)) ?? 'nothing' })];
}

/** The episode that was opened is the one that was asked for, and its search attributes name it. */
function opened({ history }: ReadHistory, calls: readonly Call[]): Finding[] {
  const call = calls.find(({ name }) => name === 'openEpisode');
  const asked = EpisodeInput.safeParse(givenInput(history) ?? {});
  if (call === undefined) return [];
  if (!asked.success) return [finding(1, 'the input of the workflow', { expected: 'the input of an episode, because one was opened', found: asked.error.issues[0]?.message ?? 'another' })];
  const input = (call.result as Json)['input'] as Json;
  // Fields that are younger than the engine that recorded are not in its result; the reminder is worked out when the episode is opened.
  const approval = Object.fromEntries(Object.entries((input['approval'] ?? {}) as Json).filter(([key]) => key !== 'remindAfterMs'));
  const askedApproval = Object.fromEntries(Object.entries(asked.data.approval).filter(([key]) => key !== 'remindAfterMs'));
  const expected = Object.fromEntries(Object.entries({ ...asked.data, approval: askedApproval }).filter(([key]) => key in input || key in ((givenInput(history) ?? {}) as Json)));
  const difference = firstDifference(JSON.stringify(expected), JSON.stringify({ ...input, approval }));
  const found = difference === null ? [] : [finding(call.event, `the result of openEpisode, input.${difference.path}`, { ...difference, because: 'event 1, the input of the workflow, or this one was changed' })];
  const remindedMs = asked.data.approval.remindAfterMs ?? 0;
  const reminder = remindedMs === 0 ? [] : unequal(call.event, 'the result of openEpisode, input.approval.remindAfterMs', [remindAfterMs(asked.data), ((input['approval'] ?? {}) as Json)['remindAfterMs'] ?? 0]);
  return [...found, ...reminder, ...named(history, asked.data)];
}

function named(history: ReadHistory['history'], { batchId, caseId, guard }: EpisodeInput): Finding[] {
  const [template = '', , condition = ''] = caseId.split('/');
  const expected: Readonly<Record<string, string>> = { holdpointBatch: batchId, holdpointTemplate: template, holdpointGuard: guardLabel(guard), holdpointCondition: condition };
  const there = history.events?.[0]?.workflowExecutionStartedEventAttributes?.searchAttributes?.indexedFields ?? {};
  return Object.entries(expected).flatMap(([name, value]) => {
    const found = there[name] === undefined ? undefined : textOf(there[name]);
    return found === undefined || found === JSON.stringify(value) ? [] : [finding(1, `the search attribute ${name}`, { expected: JSON.stringify(value), found, because: "the workflow's input says it" })];
  });
}

/** A proposal is the one that was asked for: its op key, and its proposer unless a person edited. */
function proposed({ workflowId, history }: ReadHistory, { event, name, input, result }: Call): Finding[] {
  const { kind, opKey, proposer, tool, summary } = (result ?? {}) as Json;
  if (name !== 'propose' || kind !== 'act') return [];
  const { step, edit } = input as Json;
  const { model } = (givenInput(history) ?? {}) as Json;
  return [
    ...unequal(event, 'the result of propose, opKey', [opKeyOf(workflowId, Number(step)), opKey]),
    ...unequal(event, 'the result of propose, tool', [String(summary).split(' ', 1)[0], tool]),
    ...(edit === undefined && typeof model === 'string' ? unequal(event, 'the result of propose, proposer', [`agent:${model}`, proposer]) : []),
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

/** A finding where the second of two values is not the first. */
export function unequal(event: number, about: string, [expected, found]: readonly [unknown, unknown]): Finding[] {
  const difference = firstDifference(JSON.stringify(expected ?? null), JSON.stringify(found ?? null));
  return difference === null ? [] : [finding(event, [about, difference.path].filter((part) => part !== '').join('.'), { ...difference, because: 'as the rest of the history says' })];
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined), value);
}
