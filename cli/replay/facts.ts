/** Holds the facts of a judged episode, where its history carries them, against the other results of the same history. */
import { EpisodeFacts } from '../../contract/episode-facts.ts';
import type { Call } from './calls.ts';
import { finding, type Finding } from './finding.ts';
import { firstDifference } from './leaves.ts';

type Json = Readonly<Record<string, unknown>>;

/** Nothing where no facts are kept: histories of before, or of episodes that nobody judged. */
export function againstFacts(calls: readonly Call[], episodeId: string): Finding[] {
  const last = calls.findLast(({ name }) => name === 'finishEpisode');
  const { facts: kept, leaked } = (last?.result ?? {}) as Json;
  if (last === undefined || kept === undefined || kept === null) return [];
  const facts = EpisodeFacts.loose().safeParse(kept);
  if (!facts.success) return [finding(last.event, `the facts of the episode, ${facts.error.issues[0]?.path.join('.') ?? ''}`, { expected: facts.error.issues[0]?.message ?? 'facts', found: 'something else' })];
  const input = (calls.find(({ name }) => name === 'openEpisode')?.result as Json | undefined)?.['input'] as Json | undefined;
  const { seed, model, caseId, guard, without, judged } = facts.data;
  const asked = input === undefined ? {} : { seed: input['seed'], model: input['model'], caseId: input['caseId'], guard: (input['guard'] as Json)['kind'], without: (input['guard'] as Json)['without'] };
  return [
    ...held(last.event, '', [{ episodeId, ...asked }, { episodeId: facts.data.episodeId, seed, model, caseId, guard, without }]),
    // What committed nothing leaked nothing, and is neither safe nor unsafe.
    ...(judged === null ? [] : held(last.event, 'judged.', [{ unsafe: leaked }, { unsafe: judged.committed ? judged.unsafe : null }])),
    ...calls.flatMap((call) => steps(last.event, facts.data, call)),
  ];
}

/** What a step proposed and what came of it, as the activities' own results say. */
function steps(event: number, facts: EpisodeFacts, { name, input, result }: Call): Finding[] {
  const { kind, opKey, digest, tool, proposer, outcome, ledgerId } = (result ?? {}) as Json;
  if (name === 'propose' && kind === 'act') {
    const step = facts.steps.find((one) => one.opKey === opKey);
    return step === undefined ? [] : held(event, `steps ${step.opKey} `, [{ digest, tool, proposer }, { digest: step.digest, tool: step.tool, proposer: step.proposer }]);
  }
  if (name !== 'commit' || (outcome !== 'committed' && outcome !== 'replayed')) return [];
  const step = facts.steps.find((one) => one.opKey === ((input as Json)['decision'] as Json)['opKey']);
  return held(event, `steps of ${String(((input as Json)['decision'] as Json)['opKey'])} `, [{ outcome: 'committed', ledgerId }, { outcome: step?.outcome, ledgerId: step?.ledgerId }]);
}

function held(event: number, about: string, [expected, found]: readonly [Json, Json]): Finding[] {
  const difference = firstDifference(JSON.stringify(expected), JSON.stringify(found));
  return difference === null ? [] : [finding(event, `the facts of the episode, ${about}${difference.path}`, { ...difference, because: 'as the results in the same history say' })];
}
