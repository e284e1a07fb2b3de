/** Freezing without servers: its plan, the seeds of repeated decodings, its progress, and what a person may ask for. */
import { expect, test } from 'vitest';
import { plannedDecisions } from '../../cli/evaluate/plan.ts';
import { decodingSeeds, plannedProposals } from '../../cli/freeze/plan.ts';
import { freezeProgress } from '../../cli/freeze/progress.ts';
import { holdpoint } from '../support/in-process.ts';

const models = [{ name: 'tiny', digest: 'a' }, { name: 'other', digest: 'b' }];

test('the plan is model by model, and what an evaluation of the same choice wants, in its order', () => {
  const planned = plannedProposals({ design: 'smoke', seeds: [13, 42], repeat: 0, caution: true, models });
  const wanted = plannedDecisions({ design: 'smoke', seeds: [13, 42], proposers: ['tiny+caution', 'other+caution'] });
  expect(planned.map(({ caseId, proposer, seed }) => ({ caseId, proposer, seed }))).toEqual(wanted);
  expect(planned.map(({ model }) => model.name)).toEqual(wanted.map(({ proposer }) => proposer.replace('+caution', '')));
});

test('further decodings have seeds of their own, and more of them begin with the same ones', () => {
  const at = { caseId: 'record-invoice/0/clean', seed: 13 };
  const four = decodingSeeds(at, 4);
  expect(new Set([13, ...four]).size).toBe(5);
  expect(decodingSeeds(at, 4)).toEqual(four);
  expect(decodingSeeds(at, 2)).toEqual(four.slice(0, 2));
  expect(decodingSeeds({ ...at, seed: 42 }, 4)).not.toEqual(four);
  expect(decodingSeeds(at, 0)).toEqual([]);
});

test('progress says what is asked and how long it still takes', () => {
  const shown: string[] = [];
  let nowMs = 0;
  const { onObserved, onProgress: show } = freezeProgress({ show: (line) => shown.push(line) }, () => nowMs);
  const [next] = plannedProposals({ design: 'smoke', seeds: [13], repeat: 0, caution: false, models });
  show({ done: 0, all: 8, next });
  nowMs = 2_000;
  show({ done: 2, all: 8, next });
  show({ done: 8, all: 8, next: undefined });
  onObserved(3, 8);
  expect(shown[3]).toContain('3/8 cases observed');
  expect(shown[0]).toContain('0/8 proposals, tiny under 13, estimating');
  expect(shown[1]).toContain('2/8 proposals, tiny under 13, 6 s left');
  expect(shown[2]).toContain('8/8 proposals, 0 s left');
});

test.each([
  [['--design', 'large'], '--design takes'], [['--seeds', '13,x'], '--seeds takes'], [['--models', ','], '--models takes'], [['--models', 'tiny+caution'], '--models takes'],
  [['--models', 'always-act'], 'always-act needs no freeze'], [['--repeat', '-1'], '--repeat takes'], [['--repeat', '21'], '--repeat takes'],
])('wrong input %j ends with one sentence and exit code 2', async (args, sentence) => {
  const { code, said } = await holdpoint('freeze', ...args);
  expect(code).toBe(2);
  expect(said).toContain(sentence);
  expect(said.trim().split('\n')).toHaveLength(1);
});
