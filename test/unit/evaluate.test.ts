/** The evaluation without a database: its plan, and what a person may ask for. */
import { describe, expect, test } from 'vitest';
import { plannedDecisions, plannedRuns, type Choice } from '../../cli/evaluate/plan.ts';
import { Condition } from '../../contract/case.ts';
import type { Controller } from '../../contract/controller.ts';
import { designs, designCells } from '../../scenarios/design.ts';
import { templates } from '../../scenarios/index.ts';
import { courseOf } from '../../scenarios/steps.ts';
import { holdpoint } from '../support/in-process.ts';

const choice: Choice = { design: 'smoke', proposers: ['always-act'], seeds: [13, 42], telemetry: 'both' };
const unmoved: Controller = { name: 'predicate-guard', decide: () => ({ kind: 'commit', guard: { kind: 'predicate', without: [] } }) };
const byAge: Controller = { name: 'ttl-gate', decide: ({ telemetry }) => (telemetry.ageMs > 10_000 ? { kind: 'escalate' } : { kind: 'commit', guard: { kind: 'none', without: [] } }) };

describe('the plan', () => {
  test('has every case of the design for every proposer and seed, once, in one order', () => {
    const decisions = plannedDecisions({ ...choice, proposers: ['always-act', 'a-model'] });
    expect(decisions).toHaveLength(designCells(designs.smoke).length * 4);
    expect(new Set(decisions.map((decision) => JSON.stringify(decision))).size).toBe(decisions.length);
    expect(decisions[0]).toMatchObject({ proposer: 'always-act', seed: 13 });
    expect(decisions.at(-1)).toMatchObject({ proposer: 'a-model', seed: 42 });
  });

  test('has the degraded profile for those controllers alone whose action depends on telemetry', () => {
    const names = (telemetry: Choice['telemetry']): string[] => plannedRuns([unmoved, byAge], telemetry).map((run) => `${run.controller.name} ${run.telemetry}`);
    expect(names('both')).toEqual(['predicate-guard canonical', 'ttl-gate canonical', 'ttl-gate degraded']);
    expect(names('canonical')).toEqual(['predicate-guard canonical', 'ttl-gate canonical']);
    expect(names('degraded')).toEqual(['predicate-guard degraded', 'ttl-gate degraded']);
  });
});

test('an ordinary read is late in both twins of delayed visibility and nowhere else', () => {
  for (const template of templates) for (const condition of Condition.options) for (const twin of ['hazardous', 'benign'] as const)
    expect(courseOf(template, condition, twin).fastSees).toBe(condition === 'delayed-visibility' ? 'seed' : 'now');
});

test.each([
  [['--design', 'large'], '--design takes'], [['--seeds', '13,x'], '--seeds takes'], [['--seeds', ''], '--seeds takes'], [['--telemetry', 'broken'], '--telemetry takes'],
  [['--proposer', ','], '--proposer takes'], [['--concurrency', '0'], '--concurrency takes'],
])('wrong input %j ends with one sentence and exit code 2', async (args, sentence) => {
  const { code, said } = await holdpoint('evaluate', ...args);
  expect(code).toBe(2);
  expect(said).toContain(sentence);
  expect(said.trim().split('\n')).toHaveLength(1);
});
