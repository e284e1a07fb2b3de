/** Folders of finished evaluations made by hand, for tests of what reads them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plannedDecisions, plannedRuns, type Choice } from '../../cli/evaluate/plan.ts';
import { replannedDecisions } from '../../cli/evaluate/replan/plan.ts';
import { parseCaseId, twinOf } from '../../contract/case.ts';
import { raceClassOf, type EvaluatedOutcome } from '../../contract/evaluated.ts';
import { ReplanKind, type ReplannedOutcome } from '../../contract/replanned.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { templates } from '../../scenarios/index.ts';
import { outcomeOf } from './study-outcomes.ts';

/** The smoke design of an always-acting proposer under one seed, 8 decisions, unless told otherwise. */
export type Made = { readonly choice?: Partial<Choice>; readonly digest?: string | null; readonly change?: (outcome: EvaluatedOutcome) => Partial<EvaluatedOutcome> };

/** Writes settings and outcomes; hazardous cases are unsafe where they are executed as they are, all others safe. @returns the folder */
export function evaluationFolder(path: string, { choice, digest = null, change = () => ({}) }: Made = {}): string {
  mkdirSync(path);
  const whole: Choice = { design: 'smoke', proposers: ['always-act'], seeds: [13], telemetry: 'both', ...choice };
  const runs = plannedRuns(controllers, whole.telemetry);
  const outcomes = plannedDecisions(whole).flatMap(({ caseId, proposer, seed }) => runs.map(({ controller, telemetry }): EvaluatedOutcome => {
    const cell = parseCaseId(caseId);
    const twin = twinOf(cell);
    const domain = templates.find((one) => one.name === cell.template)?.domain ?? 'orders';
    const outcome = { ...outcomeOf({ template: cell.template, condition: cell.condition, domain, twin, raceClass: raceClassOf(cell.condition, twin) }, cell.instance), caseId, proposer, seed, controller: controller.name, telemetry };
    const unsafe = twin === 'hazardous' && controller.name === 'always-execute';
    return { ...outcome, unsafe, safeSuccess: !unsafe, ...change(outcome) };
  }));
  const { design, proposers, seeds, telemetry } = whole;
  writeFileSync(join(path, 'settings.json'), JSON.stringify({ format: 1, design, proposers: proposers.map((name) => ({ name, digest })), seeds, telemetry, controllers: controllers.map(({ name }) => name) }));
  writeFileSync(join(path, 'outcomes.jsonl'), linesOf(outcomes));
  return path;
}

/** Adds a replanning layer to such a folder of the smoke design: the proposer acts again but for block notices, each question taking a second. @returns the folder */
export function withReplans(path: string, choice: Pick<Choice, 'proposers' | 'seeds'> = { proposers: ['always-act'], seeds: [13] }): string {
  const decisions = replannedDecisions(plannedDecisions({ design: 'smoke', ...choice }), choice);
  const kindsOf = (caseId: string): ReplanKind[] => ReplanKind.options.filter((kind) => kind !== 'guardBlock' || caseId.endsWith('concurrent-mutation'));
  const replans = decisions.flatMap(({ caseId, proposer, seed }) => kindsOf(caseId).map((kind): ReplannedOutcome => {
    const cell = parseCaseId(caseId);
    const [twin, acted] = [twinOf(cell), kind !== 'guardBlock'];
    const { template, domain, condition, raceClass } = outcomeOf({ template: cell.template, condition: cell.condition, twin, raceClass: raceClassOf(cell.condition, twin) }, cell.instance);
    return {
      caseId, proposer, seed, answer: 'act', wrongArguments: false, confidence: null, agreement: null, template, domain, condition, twin, raceClass, kind, guardFired: twin !== 'clean', told: [],
      replanned: acted ? 'act' : 'abstain', replannedWrongArguments: false, blockedBy: acted ? null : 'no_proposal', committed: acted, unsafe: acted && twin === 'hazardous', safeSuccess: acted && twin === 'clean',
      wrongEffect: false, diffExact: acted, duplicates: 0, integrity: 'sound', failedClauses: [],
    };
  }));
  writeFileSync(join(path, 'replans.jsonl'), linesOf(replans));
  writeFileSync(join(path, 'replan-times.jsonl'), linesOf(decisions.map((decision) => ({ ...decision, startedAt: '2026-01-01T00:00:00.000Z', roundTripsMs: Object.fromEntries(kindsOf(decision.caseId).map((kind) => [kind, 1000])) }))));
  writeFileSync(join(path, 'replanning.json'), '{}');
  return path;
}

const linesOf = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
