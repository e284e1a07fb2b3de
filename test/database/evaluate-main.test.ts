/** The whole main design on a real Postgres: every number of the reference, and the clauses that they come from. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { documentOf } from '../../cli/evaluate/document.ts';
import type { Choice } from '../../cli/evaluate/plan.ts';
import { replanAll } from '../../cli/evaluate/replan/run.ts';
import { evaluate } from '../../cli/evaluate/run.ts';
import { costOf, unitCosts, type Controller } from '../../contract/controller.ts';
import type { Clause } from '../../contract/guard.ts';
import { checkFunctionSql } from '../../database/commit/generate-check.ts';
import { commitFunctionSql } from '../../database/commit/generate.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { tools } from '../../guards/tools/index.ts';
import { designs } from '../../scenarios/design.ts';
import { testDatabase } from '../support/postgres.ts';

type Counted = { readonly unsafe: number; readonly safeSuccess: number; readonly meanCost: number; readonly expectedLoss: number };
type Reference = {
  readonly design: { readonly templates: number; readonly instances: number; readonly conditions: number; readonly seeds: number; readonly decisionsPerModel: number };
  readonly raceClasses: object; readonly costUnits: Readonly<Record<'execute' | 'fastEvidence' | 'commitGuard' | 'strongEvidence', number>>;
  readonly controllers: Readonly<Record<string, Partial<Counted>>>; readonly evidenceRouter: object;
  readonly replanning: { readonly perModel: object; readonly matchedPerModel: number };
};
/** What the paper's percentages come to in whole decisions: no code reads it. */
const reference = JSON.parse(readFileSync(new URL('guard-precision.json', import.meta.url), 'utf8')) as Reference;
type Printed = { readonly decisions: number; readonly controllers: Readonly<Record<string, Counted>> };

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-main-'));
afterAll(() => { rmSync(folders, { recursive: true, force: true }); });

const main: Choice = { design: 'main', proposers: ['always-act'], seeds: [13, 42, 2026], telemetry: 'both' };

/** What `evaluate --json` prints, with the replanning layer where it is asked for, from a database whose contracts lack a clause. */
async function printed({ name, own, replans, without }: { name: string; own: readonly Controller[]; replans: boolean; without?: Clause }): Promise<Printed> {
  const db = await testDatabase();
  try {
    await db.owner.query(`do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`); // as the command's own
    if (without !== undefined) {
      const forgetful = tools.map((contract) => ({ ...contract, clauses: { ...contract.clauses, [without]: 'true' } }));
      await db.owner.query(forgetful.map((contract) => commitFunctionSql(contract) + checkFunctionSql(contract)).join('\n'));
    }
    const evaluation = { choice: main, folder: join(folders, name), controllers: own, concurrency: 8, signal: new AbortController().signal };
    const finished = await evaluate(evaluation, (use) => use(db.pool));
    const replanning = replans ? await replanAll(evaluation, (use) => use(db.pool)) : null;
    return JSON.parse(JSON.stringify(documentOf(finished, replanning))) as Printed;
  } finally {
    await db.close();
  }
}

describe('always-act on the main design', () => {
  test('has every number of the reference, in the form that it has there', async () => {
    const found = await printed({ name: 'main', own: controllers, replans: true });
    expect(Object.keys(found).sort()).toEqual(['controllers', 'decisions', 'folder', 'outcomes', 'outcomesPerS', 'proposer', 'raceClasses', 'replanning', 'routers']);
    expect(found).toMatchObject({ decisions: reference.design.decisionsPerModel, raceClasses: reference.raceClasses, routers: reference.evidenceRouter, replanning: reference.replanning });
    expect(Object.keys(reference.controllers).filter((name) => found.controllers[name] === undefined)).toEqual([]);
    for (const [name, numbers] of Object.entries(reference.controllers)) expect(found.controllers[name], name).toMatchObject(numbers);
    const fields = ['unsafe', 'safeSuccess', 'wrongEffect', 'blockedPreserving', 'blockedIrrelevant', 'blockedClean', 'meanCost', 'expectedLoss'];
    for (const controller of controllers) expect(Object.keys(found.controllers[controller.name] ?? {}), controller.name).toEqual(fields);
    for (const [name, { unsafe, safeSuccess, meanCost, expectedLoss }] of Object.entries(found.controllers))
      expect(expectedLoss, name).toBeCloseTo((100 * unsafe + 10 * (found.decisions - safeSuccess)) / found.decisions + meanCost, 2);
  }, 600_000);

  test('is the design of the reference, at its prices', () => {
    const { templates, instances, conditions } = designs.main;
    expect({ templates: templates.length, instances: instances.length, conditions: conditions.length, seeds: main.seeds.length, decisionsPerModel: reference.design.decisionsPerModel }).toEqual(reference.design);
    const { execute, fastEvidence, commitGuard, strongEvidence } = reference.costUnits;
    expect({ guard: commitGuard, fast: fastEvidence, strong: strongEvidence }).toEqual({ guard: unitCosts.guard, fast: unitCosts.fast, strong: unitCosts.strong });
    expect(costOf({ kind: 'commit', guard: { kind: 'none', without: [] } })).toBe(execute);
  });
});

describe('no count comes from the code: with a clause deleted from the contracts\' data', () => {
  const whole = controllers.filter(({ name }) => name === 'predicate-guard');

  test.each<[Clause, string]>([
    ['status', 'predicate-without-status'], ['policy', 'predicate-without-policy'], ['notApplied', 'predicate-without-not-applied'], ['integrity', 'predicate-without-integrity'],
  ])('%s, the whole predicate leaks what the reference says of the one that forgets it', async (without, incomplete) => {
    const found = await printed({ name: incomplete, own: whole, replans: false, without });
    expect(found.controllers['predicate-guard']).toMatchObject(reference.controllers[incomplete] ?? {});
  }, 300_000);
});
