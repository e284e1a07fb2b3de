/** The replanning layer on a real Postgres: what goes back to a proposer, where the version guard fires, and what is committed then. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReplanCounts } from '../../analysis/study/replanning.ts';
import type { Choice } from '../../cli/evaluate/plan.ts';
import { replanDecision, type ReplanPlace } from '../../cli/evaluate/replan/replay.ts';
import { cannedReplanner, type ReplanRequest } from '../../cli/evaluate/replan/replanner.ts';
import { replanAll, type Replanning } from '../../cli/evaluate/replan/run.ts';
import { replanSettings, type ReplanSettings } from '../../cli/evaluate/replan/settings.ts';
import type { Evaluation } from '../../cli/evaluate/run.ts';
import { Condition } from '../../contract/case.ts';
import { failures } from '../../contract/failures.ts';
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { ReplannedOutcome, ReplanKind } from '../../contract/replanned.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { designs, replanTemplates } from '../../scenarios/design.ts';
import { templateNamed, templatesByDomain } from '../../scenarios/index.ts';
import { planOf } from '../../scenarios/plan.ts';
import type { Template } from '../../scenarios/scenario.ts';
import { fails, says, startOllamaStub, stubDigest } from '../support/ollama-stub.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-replan-'));
afterAll(() => { rmSync(folders, { recursive: true, force: true }); });
const folderOf = (name: string): string => {
  mkdirSync(join(folders, name), { recursive: true });
  return join(folders, name);
};

const main: Choice = { design: 'main', proposers: ['always-act'], seeds: [13, 42], telemetry: 'canonical' };
const bytesOf = (folder: string, file = 'replans.jsonl'): string => readFileSync(join(folder, file), 'utf8');
const linesOf = (folder: string): ReplannedOutcome[] => bytesOf(folder).trim().split('\n').map((line) => ReplannedOutcome.parse(JSON.parse(line)));

async function replanned(given: Partial<Evaluation> & Pick<Evaluation, 'folder'>, ollamaHost?: string): Promise<Replanning> {
  const db = await testDatabase();
  try {
    return await replanAll({ choice: main, concurrency: 4, signal: new AbortController().signal, ...given }, (use) => use(db.pool, ollamaHost));
  } finally {
    await db.close();
  }
}

/** Runs with a design of these templates alone in the place of the main one. */
async function withTemplates<T>(names: readonly string[], use: () => Promise<T>): Promise<T> {
  const design = designs.main as { templates: readonly string[] };
  const { templates } = design;
  design.templates = names;
  try {
    return await use();
  } finally {
    design.templates = templates;
  }
}

test('two templates of each domain are replanned, one whose effect moves the status and one whose effect leaves it', () => {
  const movesStatus = ({ effect }: Template): boolean => effect.some((change) => 'update' in change && 'status' in change.set);
  for (const domain of templatesByDomain) {
    const own = domain.filter(({ name }) => replanTemplates.includes(name));
    expect(own.map(movesStatus).sort()).toEqual([false, true]);
  }
  expect(new Set(replanTemplates).size).toBe(2 * templatesByDomain.length);
});

describe('always-act, asked again', () => {
  const access = replanTemplates.filter((name) => templateNamed(name)?.domain === 'access');
  const folder = join(folders, 'access');
  // 5 faults x 2 hazardous instances are unsafe; the guard passes clean reads (4) and writes outside the read set (2).
  const counts = (templates: number): { all: Partial<ReplanCounts>; matched: Partial<ReplanCounts> } => ({
    all: { population: 24 * templates, replanned: 24 * templates, abstained: 0, failed: 0, recommitted: 24 * templates, unsafe: 10 * templates, safeSuccess: 14 * templates },
    matched: { population: 18 * templates, replanned: 18 * templates, abstained: 0, failed: 0, recommitted: 18 * templates, unsafe: 10 * templates, safeSuccess: 8 * templates, asked: 0, meanRoundTripMs: null },
  });

  test('commits again whatever it is told, and the version guard fires on 36 of 48 decisions of a domain', async () => {
    mkdirSync(folder);
    const { 'always-act': of } = await withTemplates(access, () => replanned({ folder }));
    expect(of?.perModel).toEqual({ fastEvidence: 48, strongEvidence: 48, guardBlock: 36 });
    expect(of?.matchedPerModel).toBe(36);
    const { all, matched } = counts(2);
    expect(of?.whole).toMatchObject({ fastEvidence: all, strongEvidence: all, guardBlock: matched });
    for (const kind of ReplanKind.options) expect(of?.matched[kind]).toMatchObject(matched);
    const lines = linesOf(folder);
    expect(lines.every((line) => line.seed === 13 && line.integrity === 'sound' && line.committed && line.blockedBy === null && !line.replannedWrongArguments)).toBe(true);
    expect(bytesOf(folder)).not.toMatch(/\d{4}-\d\d-\d\d|worldId|ledger/);
  }, 60_000);

  test('is told by strong evidence exactly what speaks against the action, by fast evidence all but what becomes visible late, by the guard nothing of either', () => {
    for (const line of linesOf(folder)) {
      const hazardous = line.twin === 'hazardous';
      if (line.kind === 'guardBlock') expect(line.told).toEqual(['read_set_stale']);
      else expect(line.told.length > 0).toBe(hazardous && !(line.kind === 'fastEvidence' && line.condition === 'delayed-visibility'));
      expect(line.unsafe).toBe(hazardous);
      expect(line.guardFired).toBe(line.condition !== 'clean' && !(line.condition === 'concurrent-mutation' && !hazardous));
    }
  });

  test('has the same bytes one decision at a time', async () => {
    const alone = folderOf('alone');
    await withTemplates(access, () => replanned({ folder: alone, concurrency: 1, chunkSize: 5 }));
    for (const file of ['replans.jsonl', 'replanning.json']) expect(bytesOf(alone, file)).toBe(bytesOf(folder, file));
  }, 60_000);

  test('has 192, 192 and 144 replans over all domains', async () => {
    const { 'always-act': of } = await replanned({ folder: folderOf('whole') });
    expect(of).toMatchObject({ perModel: { fastEvidence: 192, strongEvidence: 192, guardBlock: 144 }, matchedPerModel: 144 });
    const { all, matched } = counts(8);
    expect(of?.whole).toMatchObject({ fastEvidence: all, strongEvidence: all, guardBlock: matched });
  }, 120_000);

  test('goes on behind the last whole decision wherever it was ended and cut', async () => {
    const ended = folderOf('ended');
    const controller = new AbortController();
    const first = withTemplates(access, () => replanned({ folder: ended, chunkSize: 4, signal: controller.signal, onProgress: (done) => { if (done >= 12) controller.abort(new Error('ended here')); } }));
    await expect(first).rejects.toThrow('ended here');
    truncateSync(join(ended, 'replans.jsonl'), bytesOf(ended).length - 700); // within the second last line or the one before
    const said: string[] = [];
    await withTemplates(access, () => replanned({ folder: ended, chunkSize: 4, say: (line) => said.push(line) }));
    expect(said.join('\n')).toContain('replans.jsonl.torn-1');
    for (const file of ['replans.jsonl', 'replanning.json']) expect(bytesOf(ended, file)).toBe(bytesOf(folder, file));
    expect(bytesOf(ended, 'replan-times.jsonl').trim().split('\n')).toHaveLength(48);
  }, 60_000);

  test('needs no database once nothing is left, and refuses a line that is not the planned one', async () => {
    const lend = (): Promise<never> => Promise.reject(new Error('a database was asked for'));
    const evaluation = { choice: main, concurrency: 1, signal: new AbortController().signal };
    await withTemplates(access, () => replanAll({ ...evaluation, folder }, lend));
    const damaged = folderOf('damaged');
    cpSync(folder, damaged, { recursive: true });
    const lines = bytesOf(folder).split('\n');
    writeFileSync(join(damaged, 'replans.jsonl'), [lines[1], ...lines.slice(1)].join('\n'));
    await expect(withTemplates(access, () => replanAll({ ...evaluation, folder: damaged }, lend))).rejects.toThrow('line 1 is not the replan that is planned there');
  });

  test('is not blocked where the benign twin leaves the read set alone: no count comes from the code', async () => {
    const template = templateNamed('grant-role') as { touched: Template['touched']; readonly unrelated: Template['unrelated'] };
    const { touched } = template;
    template.touched = template.unrelated;
    try {
      const { 'always-act': of } = await withTemplates(access, () => replanned({ folder: folderOf('untouched') }));
      // Three families' benign twins touch a note; two instances of each.
      expect(of?.perModel).toEqual({ fastEvidence: 48, strongEvidence: 48, guardBlock: 30 });
      expect(of?.matched.fastEvidence.population).toBe(30);
    } finally {
      template.touched = touched;
    }
  }, 60_000);
});

describe('what a proposer gets to see', () => {
  let db: TestDatabase;
  beforeAll(async () => { db = await testDatabase(); });
  afterAll(() => db.close());
  let asked = 0;

  async function requestsFor(caseId: string, answer: 'act' | 'abstain' = 'act'): Promise<{ requests: ReplanRequest[]; done: Awaited<ReturnType<typeof replanDecision>>['done'] }> {
    const requests: ReplanRequest[] = [];
    const place: ReplanPlace = { pool: db.pool, replanner: { replan: (request) => { requests.push(request); return cannedReplanner.replan(request); } } };
    const key = { caseId, proposer: answer === 'act' ? 'always-act' : 'always-abstain', digest: null, seed: 13, confidence: null, agreement: null };
    const plan = planOf(caseId);
    const first: FrozenProposal = answer === 'act' ? { ...key, answer, tool: plan.tool, arguments: plan.arguments } : { ...key, answer };
    const { done } = await replanDecision(place, first, `seen/${String((asked += 1))}/${caseId}`);
    return { requests, done };
  }

  test('is an ordinary read: made again it shows a status that moved on, but still misses what becomes visible late', async () => {
    const stale = await requestsFor('cancel-order/0/partial-success');
    expect(stale.requests.map(({ observation }) => observation.epoch)).toEqual(['2', '2', '2']);
    const late = await requestsFor('cancel-order/0/delayed-visibility');
    expect(late.requests.map(({ observation }) => observation.epoch)).toEqual(['1', '1', '1']);
    const [fast, strong, block] = late.requests.map(({ notice }) => notice);
    expect(fast).toMatchObject({ kind: 'evidence', evidence: 'fast', findings: [], found: expect.stringContaining('"PAID"') as string });
    expect(strong).toMatchObject({ kind: 'evidence', evidence: 'strong', findings: expect.arrayContaining(['already_applied']) as string[], found: expect.stringContaining('"CANCELLED"') as string });
    expect(block).toMatchObject({ kind: 'blocked', reason: 'read_set_stale' });
  });

  test.each(Condition.options)('%s: is blocked on the same decisions where nothing was proposed, and then nothing is committed', async (condition) => {
    for (const instance of [0, 1]) {
      const caseId = `grant-role/${String(instance)}/${condition}`;
      const [acted, abstained] = [await requestsFor(caseId), await requestsFor(caseId, 'abstain')];
      expect(abstained.done.map(({ kind, guardFired, told }) => ({ kind, guardFired, told }))).toEqual(acted.done.map(({ kind, guardFired, told }) => ({ kind, guardFired, told })));
      expect(abstained.done.every(({ blockedBy }) => blockedBy === 'no_proposal')).toBe(true);
    }
  });
});

describe('a model that is asked again', () => {
  const cases = ['grant-role/0/clean', 'grant-role/0/concurrent-mutation'];
  const plan = planOf(cases[0] ?? '');
  const choice: Choice = { ...main, design: 'smoke', proposers: ['tiny'], seeds: [13] };
  const act = JSON.stringify({ decision: 'act', tool: plan.tool, arguments: plan.arguments, confidence: 0.5 });

  function frozenIn(name: string, digest: string, proposer = 'tiny'): string {
    const folder = folderOf(name);
    const lines = designs.smoke.templates.flatMap((template) => designs.smoke.conditions.map((condition): FrozenProposal => ({ caseId: `${template}/0/${condition}`, proposer, digest, seed: 13, confidence: 0.5, agreement: null, answer: 'abstain' })));
    writeFileSync(join(folder, 'proposals.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return folder;
  }

  test('hears what was found, is asked one question at a time, and its time is kept apart from what came of it', async () => {
    // It heeds what it hears: whoever is told of something that speaks against the action leaves it.
    const stub = await startOllamaStub(['tiny'], () => (response, body) => {
      const text = JSON.stringify(body['messages']);
      const answer = text.includes('does not allow') ? says('{"decision":"abstain","tool":"none","arguments":{},"confidence":0.9}') : says(act);
      setTimeout(() => { answer(response, body); }, 50); // long enough that others would come in between, were they let
    });
    try {
      const folder = frozenIn('model', stubDigest);
      const { tiny } = await replanned({ folder, choice }, stub.host);
      expect(tiny?.perModel).toEqual({ fastEvidence: 8, strongEvidence: 8, guardBlock: 4 });
      const own = linesOf(folder).filter(({ caseId }) => cases.includes(caseId));
      expect(own.map(({ caseId, kind, answer, replanned: now, unsafe, safeSuccess }) => [caseId === cases[0] ? 'clean' : 'race', kind, answer, now, unsafe, safeSuccess])).toEqual([
        ['clean', 'fastEvidence', 'abstain', 'act', false, true], ['clean', 'strongEvidence', 'abstain', 'act', false, true],
        ['race', 'fastEvidence', 'abstain', 'abstain', false, false], ['race', 'strongEvidence', 'abstain', 'abstain', false, false], ['race', 'guardBlock', 'abstain', 'act', true, false],
      ]);
      expect(stub.maxAtOnce()).toBe(1);
      expect(tiny?.whole.strongEvidence.asked).toBe(8);
      expect(tiny?.whole.strongEvidence.meanRoundTripMs).toBeGreaterThanOrEqual(0);
      expect(JSON.parse(bytesOf(folder, 'replanning.json'))).toMatchObject({ tiny: { whole: { strongEvidence: { asked: 0, meanRoundTripMs: null } } } });
    } finally {
      await stub.close();
    }
  }, 60_000);

  test('is not gone on with under another prompt, form, list of templates or option: the field is named, and nothing is touched', async () => {
    const stub = await startOllamaStub(['tiny'], () => says(act));
    try {
      const folder = frozenIn('settings', stubDigest);
      const end = new AbortController();
      const ended = replanned({ folder, choice, signal: end.signal, onProgress: (done) => { if (done >= 2) end.abort(new Error('ended here')); } }, stub.host);
      await expect(ended).rejects.toThrow('ended here');
      const [settings, lines] = [bytesOf(folder, 'replan-settings.json'), bytesOf(folder)];
      for (const field of ['templates', 'prompt', 'schema', 'options']) {
        writeFileSync(join(folder, 'replan-settings.json'), JSON.stringify({ ...(JSON.parse(settings) as object), [field]: 'another' }));
        await expect(replanned({ folder, choice }, stub.host)).rejects.toThrow(`other settings: ${field} was "another" and is`);
      }
      rmSync(join(folder, 'replan-settings.json'));
      await expect(replanned({ folder, choice }, stub.host)).rejects.toThrow('no replan-settings.json says how it was begun');
      expect(bytesOf(folder)).toBe(lines);
      writeFileSync(join(folder, 'replan-settings.json'), settings);
      const whole = await replanned({ folder, choice }, stub.host);
      rmSync(join(folder, 'replan-settings.json')); // as a version that had none left it: finished, it is still read
      expect(await replanned({ folder, choice })).toEqual(whole);
    } finally {
      await stub.close();
    }
  }, 60_000);

  test('is not gone on with after another sentence of a notice, another template or another form of replies', () => {
    const settingsOf = (proposer: string): ReplanSettings => replanSettings({ proposers: [proposer] });
    const differing = (change: () => () => void): string[] => {
      const before = settingsOf('tiny');
      const undo = change();
      try {
        const after = settingsOf('tiny');
        return (Object.keys(before) as (keyof ReplanSettings)[]).filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
      } finally {
        undo();
      }
    };
    const set = <T, K extends keyof T>(object: T, key: K, value: T[K]) => (): (() => void) => {
      const { [key]: old } = object;
      object[key] = value;
      return () => { object[key] = old; };
    };
    const sentences = failures as unknown as Record<string, { sentence: string }>;
    for (const reason of ['read_set_stale', 'status_violated', 'policy_violated', 'integrity_violated', 'already_applied'])
      expect(differing(set(sentences[reason] as { sentence: string }, 'sentence', 'Something else.')), reason).toEqual(['prompt']);
    const { description, arguments: args } = toolContract(plan.tool) as ToolContract;
    const [argument] = Object.values(args).filter((spec) => spec.type === 'text') as { maxLength?: number; description: string }[];
    expect(description).not.toBe('');
    expect(differing(set(argument as { description: string }, 'description', 'Something else'))).toEqual(['prompt']);
    const list = replanTemplates as string[];
    expect(differing(() => { const last = list.pop() ?? ''; return () => { list.push(last); }; })).toEqual(['templates', 'prompt', 'schema', 'options']);
    expect(settingsOf('always-act')).toMatchObject({ templates: replanTemplates, prompt: null, schema: null, options: null });
  });

  test('was asked with the cautionary prompt: so it is again, under its own name', async () => {
    const stub = await startOllamaStub(['tiny'], () => says(act));
    try {
      const folder = frozenIn('cautious', stubDigest, 'tiny+caution');
      await replanned({ folder, choice: { ...choice, proposers: ['tiny+caution'] } }, stub.host);
      expect(stub.chats.length).toBeGreaterThan(0);
      expect(stub.chats.every((chat) => chat['model'] === 'tiny' && JSON.stringify(chat['messages']).includes('consider whether the records may be stale'))).toBe(true);
    } finally {
      await stub.close();
    }
  }, 60_000);

  test('is another one now, is not there, or no server was given: one sentence, and nothing is asked', async () => {
    const stub = await startOllamaStub(['tiny'], () => fails(500, 'nobody may ask'));
    try {
      await expect(replanned({ folder: frozenIn('other-model', 'e'.repeat(64)), choice }, stub.host)).rejects.toThrow('The model "tiny" is another one now');
      await expect(replanned({ folder: frozenIn('no-server', stubDigest), choice })).rejects.toThrow('no model server was given');
      expect(stub.chats).toHaveLength(0);
    } finally {
      await stub.close();
    }
  }, 60_000);
});

