/** The frozen evaluation on a real Postgres: its counts follow the reference's rules, its bytes follow the settings alone, and a killed run ends as if it had never been. */
import { randomInt } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { evaluate, type Evaluation, type Finished } from '../../cli/evaluate/run.ts';
import { readOutcomes } from '../../cli/evaluate/records.ts';
import type { Choice } from '../../cli/evaluate/plan.ts';
import { costOf, unitCosts } from '../../contract/controller.ts';
import { EvaluatedOutcome } from '../../contract/evaluated.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { randomStream } from '../../contract/random.ts';
import { checkFunctionSql } from '../../database/commit/generate-check.ts';
import { commitFunctionSql } from '../../database/commit/generate.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { grantRole } from '../../guards/tools/access/grant-role.ts';
import { designs } from '../../scenarios/design.ts';
import { templateNamed } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { Template } from '../../scenarios/scenario.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-evaluate-'));
afterAll(() => { rmSync(folders, { recursive: true, force: true }); });
const folderOf = (name: string): string => join(folders, name);

const pilot: Choice = { design: 'pilot', proposers: ['always-act'], seeds: [13], telemetry: 'canonical' };
const smoke: Choice = { ...pilot, design: 'smoke' };
const named = (...names: string[]): typeof controllers => controllers.filter((controller) => names.includes(controller.name));
const few = named('always-execute', 'always-fast', 'predicate-guard', 'predicate-without-policy');

type Given = Partial<Evaluation> & Pick<Evaluation, 'folder'>;
/** Evaluates in a database of its own, which `prepare` may change first. */
async function evaluated(given: Given, prepare: (db: TestDatabase) => Promise<unknown> = () => Promise.resolve()): Promise<Finished> {
  const db = await testDatabase();
  try {
    await prepare(db);
    return await evaluate({ choice: smoke, controllers: few, concurrency: 4, signal: new AbortController().signal, ...given }, (use) => use(db.pool));
  } finally {
    await db.close();
  }
}

const bytesOf = (folder: string, file = 'outcomes.jsonl'): string => readFileSync(join(folder, file), 'utf8');
const linesOf = (folder: string): EvaluatedOutcome[] => [...readOutcomes(folder)];
const count = (folder: string, holds: (outcome: EvaluatedOutcome) => boolean): number => linesOf(folder).filter(holds).length;

describe('the pilot, with a proposer that always acts', () => {
  const folder = folderOf('pilot');
  const templates = designs.pilot.templates.map((name) => templateNamed(name) as Template);
  const each = templates.length; // one hazardous and one benign instance of each
  const alreadyDone = templates.filter((template) => template.staleHazard === 'already-done').length;
  const statusStays = templates.filter((template) => !template.effect.some((change) => 'update' in change && 'status' in change.set)).length;

  test('counts what the reference says of each controller, from the worlds alone', async () => {
    await evaluated({ folder, choice: pilot, controllers });
    const lines = linesOf(folder);
    for (const line of lines) EvaluatedOutcome.parse(line);
    expect(lines).toHaveLength(12 * each * controllers.length);
    expect(lines.every((line) => line.integrity === 'sound' && !line.wrongEffect && line.answer === 'act' && !line.wrongArguments)).toBe(true);

    const of = (name: string): Record<string, number> => {
      const own = lines.filter((line) => line.controller === name);
      const sum = (holds: (line: EvaluatedOutcome) => boolean): number => own.filter(holds).length;
      const blocked = (raceClass: string): number => sum((line) => !line.committed && line.raceClass === raceClass);
      return { unsafe: sum((line) => line.unsafe), safeSuccess: sum((line) => line.safeSuccess), preserving: blocked('preserving'), irrelevant: blocked('irrelevant'), clean: blocked('clean') };
    };
    // 2 clean, 4 preserving and 1 irrelevant a template; the goal is there already where an earlier effect was hidden.
    const reached = 7 * each + 2 * each + alreadyDone;
    const none = { preserving: 0, irrelevant: 0, clean: 0 };
    expect(of('always-execute')).toEqual({ unsafe: 5 * each, safeSuccess: 7 * each, ...none });
    expect(of('predicate-guard')).toEqual({ unsafe: 0, safeSuccess: reached, ...none });
    expect(of('always-strong')).toEqual(of('predicate-guard'));
    expect(of('version-guard')).toEqual({ unsafe: 0, safeSuccess: reached - 4 * each, ...none, preserving: 4 * each });
    expect(of('epoch-guard')).toEqual({ unsafe: 0, safeSuccess: reached - 5 * each, ...none, preserving: 4 * each, irrelevant: each });
    expect(of('predicate-without-policy')).toEqual({ unsafe: each, safeSuccess: reached, ...none });
    expect(of('predicate-without-status')).toEqual({ unsafe: each - alreadyDone, safeSuccess: reached, ...none });
    expect(of('predicate-without-not-applied')).toEqual({ unsafe: statusStays, safeSuccess: reached - statusStays, ...none });
    expect(of('predicate-without-integrity')).toEqual(of('predicate-guard'));
    // Asked once, the proposer agrees with itself on nothing: the agreement gate buys always, and so does the random gate at its budget.
    expect(JSON.parse(bytesOf(folder, 'settings.json'))).toMatchObject({ randomGate: { 'always-act': { decisions: 12 * each, bought: 12 * each, drawBelow: 1 } } });
    for (const gate of ['agreement-gate', 'random-gate']) expect(of(gate)).toEqual(of('always-strong'));
    // A fast look misses what becomes visible late, and nothing else.
    expect(of('always-fast')).toEqual({ unsafe: each, safeSuccess: reached - each, ...none });
    expect(lines.filter((line) => line.controller === 'always-fast' && line.unsafe).every((line) => line.condition === 'delayed-visibility')).toBe(true);
  }, 300_000);

  test('has the same bytes one decision at a time', async () => {
    const alone = folderOf('pilot-alone');
    await evaluated({ folder: alone, choice: pilot, controllers, concurrency: 1, chunkSize: 5 });
    for (const file of ['outcomes.jsonl', 'proposals.jsonl', 'settings.json', 'summary.json']) expect(bytesOf(alone, file)).toBe(bytesOf(folder, file));
  }, 300_000);

  test('keeps no clock and no generated id in its outcomes', () => {
    expect(bytesOf(folder)).not.toMatch(/\d{4}-\d\d-\d\d|worldId|ledger/);
    expect(bytesOf(folder, 'times.jsonl').trim().split('\n')).toHaveLength(12 * each);
  });
});

test('where nothing was proposed nothing is committed, the state counts, and the controller\'s cost is charged', async () => {
  const folder = folderOf('answers');
  const cases = ['grant-role/0/clean', 'grant-role/0/concurrent-mutation', 'change-delivery-address/0/clean', 'change-delivery-address/0/concurrent-mutation'];
  const key = (caseId: string): Omit<Extract<FrozenProposal, { answer: 'abstain' }>, 'answer'> => ({ caseId, proposer: 'tiny', digest: 'abc', seed: 13, confidence: 0.5, agreement: null });
  const acts = (caseId: string, args = planOf(caseId).arguments): FrozenProposal => ({ ...key(caseId), answer: 'act', tool: planOf(caseId).tool, arguments: args });
  const lines: FrozenProposal[] = [
    { ...key(cases[0] ?? ''), answer: 'abstain' }, { ...key(cases[1] ?? ''), answer: 'failed', reason: 'not_json' },
    acts(cases[2] ?? '', { ...planOf(cases[2] ?? '').arguments, newAddress: 'Elsewhere 9' }), acts(cases[3] ?? ''),
    ...['record-invoice', 'roll-back-release'].flatMap((name) => ['clean', 'concurrent-mutation'].map((condition) => acts(`${name}/0/${condition}`))),
  ];
  const write = async (given: readonly FrozenProposal[]): Promise<Finished> => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(folderOf('pilot'), folder, { recursive: true });
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    writeFileSync(join(folder, 'proposals.jsonl'), given.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return evaluated({ folder, choice: { ...smoke, proposers: ['tiny'] } });
  };
  await expect(write(lines.slice(1))).rejects.toThrow('no answer of tiny to 1 of the planned decisions');
  await expect(write([...lines, ...lines.slice(0, 1)])).rejects.toThrow('answers for a second time');
  await write(lines);
  for (const line of linesOf(folder).filter((one) => one.answer !== 'act')) {
    expect(line).toMatchObject({ action: 'none', blockedBy: 'no_proposal', committed: false, unsafe: false, safeSuccess: false, confidence: 0.5 });
    const controller = few.find(({ name }) => name === line.controller);
    expect(line.cost).toBe(controller === undefined ? -1 : costOf(controller.decide({ telemetry: { ageMs: 0, previousStatus: 'ok' }, confidence: null, agreement: null, draw: 0 })));
  }
  const [wrong] = linesOf(folder).filter((line) => line.caseId === cases[2] && line.controller === 'predicate-guard');
  writeFileSync(join(folder, 'proposals.jsonl'), bytesOf(folder, 'proposals.jsonl').replaceAll('"abc"', '"another model"'));
  await expect(evaluated({ folder, choice: { ...smoke, proposers: ['tiny'] } })).rejects.toThrow('proposers was [{"name":"tiny","digest":"abc"}] and is [{"name":"tiny","digest":"another model"}] now');
  expect(wrong).toMatchObject({ wrongArguments: true, committed: true, wrongEffect: true, safeSuccess: false, unsafe: false, cost: unitCosts.guard });
}, 120_000);

describe('a run that was ended', () => {
  const seed = Number(process.env['HOLDPOINT_SEED'] ?? randomInt(2 ** 31));
  const wholeFolder = folderOf('whole');

  test(`ends with the same bytes wherever it was ended and cut (HOLDPOINT_SEED=${String(seed)})`, async () => {
    await evaluated({ folder: wholeFolder, chunkSize: 2 });
    const random = randomStream(seed, 'evaluate', 'kill');
    for (let round = 0; round < 3; round += 1) {
      const folder = folderOf(`ended-${String(round)}`);
      const controller = new AbortController();
      const after = 2 * random.integer(1, 3);
      const ended = evaluated({ folder, chunkSize: 2, signal: controller.signal, onProgress: (done) => { if (done >= after) controller.abort(new Error('ended here')); } });
      await expect(ended).rejects.toThrow('ended here');
      const size = readFileSync(join(folder, 'outcomes.jsonl')).length;
      truncateSync(join(folder, 'outcomes.jsonl'), random.integer(1, size)); // a kill in the middle of a write
      const said: string[] = [];
      await evaluated({ folder, chunkSize: 2, say: (line) => said.push(line) });
      for (const file of ['outcomes.jsonl', 'proposals.jsonl', 'settings.json', 'summary.json']) expect(bytesOf(folder, file)).toBe(bytesOf(wholeFolder, file));
      expect(bytesOf(folder, 'times.jsonl').trim().split('\n')).toHaveLength(8);
    }
  }, 240_000);

  test('is told what was cut off, and where it lies', async () => {
    const folder = folderOf('torn');
    cpSync(wholeFolder, folder, { recursive: true });
    const whole = readFileSync(join(folder, 'outcomes.jsonl'));
    truncateSync(join(folder, 'outcomes.jsonl'), whole.length - 10);
    const said: string[] = [];
    await evaluated({ folder, chunkSize: 2, say: (line) => said.push(line) });
    expect(said.join('\n')).toContain('outcomes.jsonl.torn-1');
    expect(said.join('\n')).toContain('goes on behind 6 of 8 decisions');
    expect(bytesOf(folder)).toBe(bytesOf(wholeFolder));
  }, 60_000);

  test('needs no database once nothing is left', async () => {
    const finished = await evaluate({ choice: smoke, folder: wholeFolder, controllers: few, concurrency: 1, chunkSize: 2, signal: new AbortController().signal }, () => Promise.reject(new Error('a database was asked for')));
    expect(finished.costs.outcomes).toBe(0);
  });

  test.each([
    ['seeds', { choice: { ...smoke, seeds: [14] } }], ['design', { choice: { ...pilot } }], ['telemetry', { choice: { ...smoke, telemetry: 'both' as const } }],
    ['controllers', { controllers: few.slice(1) }], ['actions', { controllers: few.map((one) => ({ ...one, decide: () => ({ kind: 'escalate' as const }) })) }],
  ])('refuses to go on with other %s, and names the field', async (field, other) => {
    const folder = folderOf(`other-${field}`);
    cpSync(wholeFolder, folder, { recursive: true });
    await expect(evaluated({ folder, chunkSize: 2, ...other })).rejects.toThrow(new RegExp(`other settings: ${field} was .* and is .* now`));
    for (const file of ['outcomes.jsonl', 'proposals.jsonl', 'settings.json']) expect(bytesOf(folder, file)).toBe(bytesOf(wholeFolder, file));
  });

  test.each(['schema', 'cases', 'proposals', 'randomGate'])('refuses to go on with another %s', async (field) => {
    const folder = folderOf(`another-${field}`);
    cpSync(wholeFolder, folder, { recursive: true });
    const settings = JSON.parse(bytesOf(folder, 'settings.json')) as Record<string, unknown>;
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ ...settings, [field]: 'another' }));
    await expect(evaluated({ folder, chunkSize: 2 })).rejects.toThrow(`other settings: ${field} was "another"`);
  });

  test('refuses a line that is damaged or not the planned one, and names it', async () => {
    const folder = folderOf('damaged');
    cpSync(wholeFolder, folder, { recursive: true });
    const lines = bytesOf(folder).split('\n');
    writeFileSync(join(folder, 'outcomes.jsonl'), [lines[0], lines[0], ...lines.slice(2)].join('\n'));
    await expect(evaluated({ folder, chunkSize: 2 })).rejects.toThrow('line 2 is not the outcome that is planned there');
    writeFileSync(join(folder, 'outcomes.jsonl'), [lines[0], '{"caseId":', ...lines.slice(2)].join('\n'));
    await expect(evaluated({ folder, chunkSize: 2 })).rejects.toThrow('line 2 is not JSON');
  });
});

describe('no count comes from the code', () => {
  const unsafeOf = (folder: string, name: string): number => count(folder, (line) => line.controller === name && line.unsafe);

  test('a contract without a clause leaks what the clause caught', async () => {
    const folder = folderOf('no-clause');
    const forgetful = { ...grantRole, clauses: { ...grantRole.clauses, policy: 'true' } };
    await evaluated({ folder }, ({ owner }) => owner.query(commitFunctionSql(forgetful) + checkFunctionSql(forgetful)));
    expect(unsafeOf(folderOf('whole'), 'predicate-guard')).toBe(0);
    expect(unsafeOf(folder, 'predicate-guard')).toBe(1);
    expect(unsafeOf(folder, 'always-fast')).toBe(1);
  }, 60_000);

  test('a scenario whose policy is no longer withdrawn has nothing to leak', async () => {
    const folder = folderOf('no-hazard');
    const template = templateNamed('grant-role') as { withdrawn: Template['withdrawn']; readonly touched: Template['touched'] };
    const { withdrawn } = template;
    template.withdrawn = template.touched;
    try {
      await evaluated({ folder });
    } finally {
      template.withdrawn = withdrawn;
    }
    expect(unsafeOf(folder, 'always-execute')).toBe(unsafeOf(folderOf('whole'), 'always-execute') - 1);
  }, 60_000);
});
