/** Plans: every case has one, twins differ where they may and nowhere else, and templates agree with the tools' contracts. */
import { expect, test } from 'vitest';
import { caseId, Condition, type Case } from '../../contract/case.ts';
import { Change } from '../../contract/change.ts';
import { Telemetry } from '../../contract/observation.ts';
import { Arguments } from '../../contract/proposal.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { designCells, pilot, smoke } from '../../scenarios/design.ts';
import { fill, UnknownFactError } from '../../scenarios/fill.ts';
import { templates } from '../../scenarios/index.ts';
import { planOf, UnknownCaseError } from '../../scenarios/plan.ts';
import { approvers } from '../../scenarios/policy-row.ts';
import { courseOf } from '../../scenarios/steps.ts';
import { telemetryOf } from '../../scenarios/telemetry.ts';

const all: Case[] = designCells({ templates: templates.map((template) => template.name), instances: [0, 1, 2, 3], conditions: Condition.options });

test('every template has four instances, and every case a plan without a fact left unfilled', () => {
  expect(new Set(templates.map((template) => template.instances.length))).toEqual(new Set([4]));
  for (const cell of all) expect(JSON.stringify(planOf(caseId(cell)))).not.toMatch(/\$[a-z]/);
});

test('the pilot has 48 cases and the smoke design 8, each case once', () => {
  expect(designCells(pilot)).toHaveLength(48);
  expect(designCells(smoke)).toHaveLength(8);
  expect(new Set(all.map(caseId)).size).toBe(templates.length * 24);
});

test('a plan says the same thing every time', () => {
  for (const cell of all) expect(planOf(caseId(cell))).toEqual(planOf(caseId(cell)));
});

test.each(['', 'nothing', 'change-delivery-address/0', 'change-delivery-address/4/clean', 'change-delivery-address/-1/clean', 'change-delivery-address/0/clean/more', 'no-such-template/0/clean', 'grant-role/0/sunny'])(
  'the id "%s" is an unknown case',
  (id) => {
    expect(() => planOf(id)).toThrow(UnknownCaseError);
  },
);

test('arguments and keys are those of the tool contract', () => {
  for (const template of templates) {
    const contract = toolContract(template.tool);
    expect(contract?.domain).toBe(template.domain);
    expect(Object.keys(template.arguments)).toEqual(Object.keys(contract?.arguments ?? {}));
    const keys = (contract?.locks ?? []).flatMap((row) => ('argument' in row.key ? [row.key.argument] : []));
    expect([...template.keys].sort()).toEqual(keys.sort());
  }
});

test('changes, arguments and telemetry are of the contract room\'s form', () => {
  for (const cell of all) {
    const plan = planOf(caseId(cell));
    for (const step of [...plan.before, ...plan.race]) for (const change of step.changes) Change.parse(change);
    Arguments.parse(plan.arguments);
    Telemetry.parse(plan.telemetry);
  }
});

test('the instruction holds every argument letter by letter', () => {
  for (const cell of all) {
    const plan = planOf(caseId(cell));
    for (const value of Object.values(plan.arguments)) expect(plan.instruction).toContain(String(value));
  }
});

test('twins of a family differ in exactly one step, and in nothing that can be observed', () => {
  for (const template of templates)
    for (const condition of Condition.options) {
      if (condition === 'clean') continue;
      const [hazardous, benign] = [courseOf(template, condition, 'hazardous'), courseOf(template, condition, 'benign')];
      const steps = (course: typeof hazardous): string[] => [...course.before, ...course.race].map((step) => JSON.stringify(step));
      expect(steps(hazardous)).toHaveLength(steps(benign).length);
      expect(steps(hazardous).filter((step, index) => step !== steps(benign)[index])).toHaveLength(1);
      expect({ ...hazardous, before: [], race: [] }).toEqual({ ...benign, before: [], race: [] });
    }
});

test('telemetry depends on the condition only, and tells families apart in the canonical profile', () => {
  for (const cell of all) expect(planOf(caseId(cell)).telemetry).toEqual(telemetryOf(cell.condition));
  expect(new Set(Condition.options.map((condition) => JSON.stringify(telemetryOf(condition)))).size).toBe(6);
  expect(telemetryOf('concurrent-mutation', 'degraded')).toEqual(telemetryOf('clean', 'degraded'));
});

test('every policy row lets the simulated approver and a supervisor decide, and no agent', () => {
  expect(approvers).toEqual(expect.arrayContaining(['auto', 'supervisor']));
  for (const cell of all) {
    const policies = planOf(caseId(cell)).seed.filter((seed) => seed.table === 'holdpoint.policies');
    expect(policies.map((seed) => seed.row['tool'])).toEqual([planOf(caseId(cell)).tool]);
    expect(policies[0]?.row['approvers']).toEqual(approvers);
  }
});

test('fill keeps the type of a whole text and writes facts out inside longer ones', () => {
  expect(fill({ a: '$n', b: ['n is $n', 3, null] }, { n: 4 })).toEqual({ a: 4, b: ['n is 4', 3, null] });
  expect(() => fill('$missing', { n: 4 })).toThrow(UnknownFactError);
  expect(() => fill('$toString', { n: 4 })).toThrow(UnknownFactError);
});
