/** Whether what was opened, an episode, a fork or a rollback, is what the workflow was asked for. */
import { EpisodeInput, remindAfterMs } from '../../contract/episode-input.ts';
import { guardLabel, opKeyOf } from '../../contract/names.ts';
import { givenInput, type Call } from './calls.ts';
import { finding, unequal, type Finding } from './finding.ts';
import { textOf } from './item.ts';
import { firstDifference } from './leaves.ts';
import type { ReadHistory } from './read-history.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a fork takes from the recorded episode, whatever its input says, and what no fork has. */
const ofTheForked = ['caseId', 'model', 'seed', 'windowMs'];
const ofEveryFork = { replans: 0, returns: 'guardBlock', faults: false };

/** The episode that was opened is the one that was asked for, and its search attributes name it. */
export function opened({ history }: ReadHistory, calls: readonly Call[]): Finding[] {
  const call = calls.find(({ name }) => name === 'openEpisode');
  const given = (givenInput(history) ?? {}) as Json;
  const asked = EpisodeInput.safeParse(given);
  if (call === undefined) return [];
  if (!asked.success) return [finding(1, 'the input of the workflow', { expected: 'the input of an episode, because one was opened', found: asked.error.issues[0]?.message ?? 'another' })];
  const input = (call.result as Json)['input'] as Json;
  const isFork = asked.data.fork !== undefined;
  const outside = isFork ? ofTheForked : [];
  // Fields that are younger than the engine that recorded are not in its result; the reminder is worked out when the episode is opened.
  const wanted: Json = { ...asked.data, ...(isFork && ofEveryFork), approval: leaving(asked.data.approval, ['remindAfterMs']) };
  const expected = leaving(wanted, [...outside, ...Object.keys(wanted).filter((key) => !(key in input) && !(key in given))]);
  const found = { ...leaving(input, outside), approval: leaving((input['approval'] ?? {}) as Json, ['remindAfterMs']) };
  const difference = firstDifference(JSON.stringify(expected), JSON.stringify(found));
  const differs = difference === null ? [] : [finding(call.event, `the result of openEpisode, input.${difference.path}`, { ...difference, because: 'event 1, the input of the workflow, or this one was changed' })];
  const remindedMs = asked.data.approval.remindAfterMs ?? 0;
  const reminder = remindedMs === 0 ? [] : unequal(call.event, 'the result of openEpisode, input.approval.remindAfterMs', [remindAfterMs(asked.data), ((input['approval'] ?? {}) as Json)['remindAfterMs'] ?? 0]);
  return [...differs, ...reminder, ...named(history, asked.data)];
}

/** The request that a rollback holds is its own. */
export function openedRollback({ workflowId }: ReadHistory, calls: readonly Call[]): Finding[] {
  const call = calls.find(({ name }) => name === 'openRollback');
  if (call === undefined) return [];
  const { request, step } = call.result as { readonly request: Json; readonly step: number };
  return unequal(call.event, 'the result of openRollback, request.opKey', [opKeyOf(workflowId, step), request['opKey']]);
}

function leaving(given: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
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
