/** Freezing over a stub of the model server and a real Postgres: live episodes' own questions, asked once, in planned order, to the same bytes wherever a run was ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proposeFor } from '../../activities/model/propose.ts';
import { openEpisode } from '../../activities/open-episode.ts';
import { readOutcomes } from '../../cli/evaluate/records.ts';
import { evaluate } from '../../cli/evaluate/run.ts';
import { documentOf } from '../../cli/freeze/describe.ts';
import { decodingSeeds, plannedProposals, type FreezeChoice } from '../../cli/freeze/plan.ts';
import { freeze, type Finished, type Freezing } from '../../cli/freeze/run.ts';
import { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { randomStream } from '../../contract/random.ts';
import { episodeOf } from '../../database/episodes.ts';
import { controllers } from '../../guards/controllers/index.ts';
import { designCells, designs } from '../../scenarios/design.ts';
import { caseId } from '../../contract/case.ts';
import { planOf } from '../../scenarios/plan.ts';
import { fails, says, startOllamaStub, stubDigest, type OllamaStub, type StubChat } from '../support/ollama-stub.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const folders = mkdtempSync(join(tmpdir(), 'holdpoint-freeze-'));
const folderOf = (name: string): string => join(folders, name);
const otherDigest = 'e'.repeat(64);
const never = new AbortController().signal;
let db: TestDatabase;
let stub: OllamaStub;
/** What the stub does instead of answering, by the number of the chat request; tests set and unset it. */
let instead: ((index: number) => StubChat | undefined) | undefined;
beforeAll(async () => {
  db = await testDatabase();
  stub = await startOllamaStub(['tiny', 'other'], (index) => instead?.(index) ?? answer, (model) => (model === 'tiny' ? stubDigest : otherDigest));
});
afterAll(async () => {
  rmSync(folders, { recursive: true, force: true });
  await Promise.all([stub.close(), db.close()]);
});

const plans = designCells(designs.smoke).map((cell) => planOf(caseId(cell)));
type Body = { readonly model: string; readonly messages: readonly { content: string }[]; readonly options: { seed: number } };
/** Acts as asked, but: abstains from grants, is never in form about releases, and takes other digits for invoices under an odd seed. */
const answer: StubChat = (response, body) => {
  const { messages, options } = body as unknown as Body;
  const text = messages[3]?.content ?? '';
  const plan = plans.find(({ instruction }) => text.endsWith(instruction));
  const args = { ...plan?.arguments, ...(plan?.tool === 'record_invoice' && options.seed % 2 === 1 && { amountCents: 1 }) };
  const said = plan?.tool === 'grant_role' ? { decision: 'abstain', confidence: 0.2 } : { decision: 'act', tool: plan?.tool, arguments: args, confidence: 0.8 };
  says(plan?.tool === 'roll_back_release' ? 'no' : JSON.stringify(said))(response, body);
};

const smoke: FreezeChoice = { design: 'smoke', seeds: [14], repeat: 0, caution: false, models: [{ name: 'tiny', digest: stubDigest }] };
const bothModels = [...smoke.models, { name: 'other', digest: otherDigest }];
const frozen = (folder: string, choice: Partial<FreezeChoice> = {}, more: Partial<Freezing> = {}): Promise<Finished> =>
  freeze({ choice: { ...smoke, ...choice }, folder, servers: { pool: db.pool, ollamaHost: stub.host, signal: never, waitsMs: [1, 1] }, ...more });
const bytesOf = (folder: string, file = 'proposals.jsonl'): string => readFileSync(join(folder, file), 'utf8');
const linesOf = (folder: string): FrozenProposal[] => bytesOf(folder).trim().split('\n').map((line) => FrozenProposal.parse(JSON.parse(line)));

test('every planned proposal is a line in planned order, abstentions and failures too, and an evaluation replays them', async () => {
  const folder = folderOf('two');
  const choice = { ...smoke, models: bothModels, seeds: [14, 15] };
  const finished = await frozen(folder, choice);
  const lines = linesOf(folder);
  expect(finished.proposals).toEqual(lines);
  expect(lines.map(({ caseId, proposer, seed }) => ({ caseId, proposer, seed }))).toEqual(plannedProposals(choice).map(({ caseId, proposer, seed }) => ({ caseId, proposer, seed })));
  expect(lines.every((line) => line.digest === (line.proposer === 'tiny' ? stubDigest : otherDigest) && line.agreement === null && !('caution' in line))).toBe(true);
  expect(documentOf(choice, finished).proposers[0]).toMatchObject({ proposer: 'tiny', proposals: 16, act: 8, wrongArguments: 2, abstain: 4, failed: 4, asked: 16 });
  const of = (name: string): FrozenProposal | undefined => lines.find((line) => line.caseId.startsWith(name));
  expect(of('grant-role')).toMatchObject({ answer: 'abstain', confidence: 0.2 });
  expect(of('roll-back-release')).toMatchObject({ answer: 'failed', reason: 'not_json', confidence: null });
  expect(of('change-delivery-address')).toMatchObject({ answer: 'act', arguments: planOf('change-delivery-address/0/clean').arguments, confidence: 0.8 });

  const few = controllers.filter(({ name }) => name === 'predicate-guard');
  await evaluate({ choice: { design: 'smoke', proposers: ['tiny', 'other'], seeds: [14, 15], telemetry: 'canonical' }, folder, controllers: few, concurrency: 2, signal: never }, (use) => use(db.pool));
  const outcomes = [...readOutcomes(folder)];
  expect(outcomes).toHaveLength(lines.length);
  expect(outcomes.filter((outcome) => outcome.answer === 'abstain' || outcome.answer === 'failed').every((outcome) => outcome.blockedBy === 'no_proposal')).toBe(true);
  expect(outcomes.some((outcome) => outcome.safeSuccess && outcome.committed)).toBe(true);
}, 60_000);

test('one model is asked at a time, and leaves the memory before the next is asked', async () => {
  const [chats, unloads] = [stub.chats.length, stub.unloads.length];
  await frozen(folderOf('turns'), { seeds: [16, 17], models: bothModels });
  const asked = (stub.chats.slice(chats) as unknown as Body[]).map(({ model }) => model);
  expect(asked).toEqual([...asked].sort((a, b) => (a < b ? 1 : -1))); // tiny, then other
  expect(new Set(asked).size).toBe(2);
  expect(stub.unloads.slice(unloads)).toEqual([{ model: 'tiny', after: chats + asked.lastIndexOf('tiny') + 1 }, { model: 'other', after: stub.chats.length }]);
  expect(stub.maxAtOnce()).toBe(1);
});

test('the question is the live episode\'s: what an episode would ask is frozen already', async () => {
  await frozen(folderOf('live'), { seeds: [18] });
  for (const plan of plans) {
    const episodeId = `live-${plan.caseId}`;
    await openEpisode(db.pool, { episodeId, given: { caseId: plan.caseId, model: 'tiny', seed: 18, guard: { kind: 'none' } } });
    const observation = (await episodeOf(db.pool, episodeId))?.steps[0]?.observation;
    if (observation === undefined) throw new Error('No observation.');
    const request = { model: 'tiny', seed: 18, tool: plan.tool, instruction: plan.instruction, observation };
    expect(await proposeFor({ pool: db.pool, ollamaHost: stub.host, heartbeat: () => undefined, signal: never }, request)).toMatchObject({ asked: false });
  }
});

test('caution is in the prompt, in the line and in the proposer\'s name', async () => {
  const before = stub.chats.length;
  await frozen(folderOf('plain'), { seeds: [20] });
  await frozen(folderOf('caution'), { seeds: [20], caution: true });
  expect(linesOf(folderOf('caution')).every((line) => line.proposer === 'tiny+caution' && line.caution === true)).toBe(true);
  const systems = (stub.chats.slice(before) as unknown as Body[]).map(({ messages }) => messages[0]?.content ?? '');
  const cautious = systems.filter((text) => /stale.*earlier attempt.*others may be changing/s.test(text));
  expect(cautious).toHaveLength(systems.length / 2);
});

test('repeated decodings share the first one\'s action as far as they do', async () => {
  const before = stub.chats.length;
  const finished = await frozen(folderOf('repeat'), { seeds: [22], repeat: 5 });
  for (const line of linesOf(folderOf('repeat'))) {
    const same = decodingSeeds(line, 5).filter((seed) => seed % 2 === 0).length;
    expect(line.agreement).toBe(line.answer === 'failed' ? 0 : line.caseId.startsWith('record-invoice') ? same / 5 : 1);
  }
  expect(linesOf(folderOf('repeat')).some(({ agreement }) => agreement !== 0 && agreement !== 1)).toBe(true);
  // Six a proposal; two for a failed one, which is asked for its form once more and not decoded again.
  expect(stub.chats.length - before).toBe(6 * 6 + 2 * 2);
  expect(documentOf(smoke, finished).proposers[0]?.asked).toBe(6 * 6 + 2);
  await frozen(folderOf('repeat-more'), { seeds: [22], repeat: 6 });
  expect(stub.chats.length - before).toBe(7 * 6 + 2 * 2);
});

describe('a run that was ended', () => {
  const seed = Number(process.env['HOLDPOINT_SEED'] ?? randomInt(2 ** 31));
  const ended = { seeds: [30], repeat: 1 };

  test(`ends with the same bytes wherever it was ended and cut, and asks nothing twice (HOLDPOINT_SEED=${String(seed)})`, async () => {
    const whole = folderOf('whole');
    const before = stub.chats.length;
    const random = randomStream(seed, 'freeze', 'kill');
    const folder = folderOf('ended');
    for (let round = 0; round < 3; round += 1) {
      const end = new AbortController();
      const after = round === 0 ? 2 : random.integer(3, 7);
      const stopped = frozen(folder, ended, { servers: { pool: db.pool, ollamaHost: stub.host, signal: end.signal }, onProgress: ({ done }) => { if (done >= after) end.abort(new Error('ended here')); } });
      await expect(stopped).rejects.toThrow('ended here');
      truncateSync(join(folder, 'proposals.jsonl'), random.integer(1, readFileSync(join(folder, 'proposals.jsonl')).length)); // a kill in the middle of a write
    }
    await frozen(folder, ended);
    expect(stub.chats.length - before).toBe(2 * 6 + 2 * 2);
    await frozen(whole, ended);
    expect(stub.chats.length - before).toBe(2 * 6 + 2 * 2);
    for (const file of ['proposals.jsonl', 'freeze.json']) expect(bytesOf(folder, file)).toBe(bytesOf(whole, file));
    expect(new Set((stub.chats.slice(before)).map((chat) => JSON.stringify(chat))).size).toBe(stub.chats.length - before);
  }, 60_000);

  test('by SIGKILL goes on as the same command, and ends as if it had never been killed', async () => {
    const folder = folderOf('killed');
    const whole = folderOf('never-killed');
    const args = (results: string): string[] => [fileURLToPath(new URL('../../bin/holdpoint.mjs', import.meta.url)), 'freeze', '--design', 'smoke', '--models', 'tiny', '--seeds', '32', '--json', '--results', results];
    const start = (results: string): ChildProcess => spawn(process.execPath, args(results), { env: { ...process.env, DATABASE_URL: db.ownerUrl, OLLAMA_HOST: stub.host }, stdio: ['ignore', 'pipe', 'ignore'] });
    const first = start(folder);
    const at = stub.chats.length + 4;
    instead = (index) => (index === at ? () => { first.kill('SIGKILL'); } : undefined);
    await once(first, 'exit');
    instead = undefined;
    expect(linesOf(folder)).toHaveLength(4);
    const second = start(folder);
    let said = '';
    second.stdout?.on('data', (text) => { said += String(text); });
    const [code] = await once(second, 'exit') as [number];
    expect(code).toBe(0);
    expect(JSON.parse(said)).toMatchObject({ proposals: 8, proposers: [{ proposer: 'tiny', digest: stubDigest, act: 4, abstain: 2, failed: 2, asked: 4 }] });
    await frozen(whole, { seeds: [32] });
    for (const file of ['proposals.jsonl', 'freeze.json']) expect(bytesOf(folder, file)).toBe(bytesOf(whole, file));
  }, 90_000);

  test.each<[string, Partial<FreezeChoice>]>([
    ['design', { design: 'pilot' }], ['seeds', { seeds: [31] }], ['repeat', { repeat: 2 }], ['caution', { caution: true }],
    ['models', { models: [{ name: 'tiny', digest: otherDigest }] }],
  ])('refuses to go on with other %s, and names the field', async (field, other) => {
    const folder = folderOf(`other-${field}`);
    cpSync(folderOf('whole'), folder, { recursive: true });
    await expect(frozen(folder, { ...ended, ...other })).rejects.toThrow(new RegExp(`other settings: ${field} was .* and is .* now`));
    expect(bytesOf(folder)).toBe(bytesOf(folderOf('whole')));
  });

  test.each(['prompt', 'schema', 'options'])('refuses to go on with another %s', async (field) => {
    const folder = folderOf(`another-${field}`);
    cpSync(folderOf('whole'), folder, { recursive: true });
    writeFileSync(join(folder, 'freeze.json'), JSON.stringify({ ...(JSON.parse(bytesOf(folder, 'freeze.json')) as object), [field]: 'another' }));
    await expect(frozen(folder, ended)).rejects.toThrow(`other settings: ${field} was "another"`);
  });

  test('refuses lines that are not the planned ones, of another model, or of unknown origin', async () => {
    const folder = folderOf('lines');
    cpSync(folderOf('whole'), folder, { recursive: true });
    const [first = '', ...rest] = bytesOf(folder).trimEnd().split('\n');
    const write = (lines: readonly string[]): void => { writeFileSync(join(folder, 'proposals.jsonl'), lines.map((line) => `${line}\n`).join('')); };
    write([first, first, ...rest]);
    await expect(frozen(folder, ended)).rejects.toThrow('line 2 is not the proposal that is planned there');
    write([first.replace(stubDigest, 'another'), ...rest]);
    await expect(frozen(folder, ended)).rejects.toThrow('line 1 has another model: digest was "another"');
    write([first, '{"caseId":', ...rest]);
    await expect(frozen(folder, ended)).rejects.toThrow('line 2 is not JSON');
    write([first, ...rest]);
    rmSync(join(folder, 'freeze.json'));
    await expect(frozen(folder, ended)).rejects.toThrow('no freeze.json says how they were asked');
  });
});

test('a server in trouble is asked again, and where the trouble stays it is no answer', async () => {
  const folder = folderOf('trouble');
  const from = stub.chats.length;
  instead = (index) => (index < from + 2 ? fails(503, 'busy') : index >= from + 5 ? fails(500, 'runner died') : undefined);
  await expect(frozen(folder, { seeds: [40] })).rejects.toThrow(/runner died.* The same command goes on/);
  expect(linesOf(folder)).toHaveLength(3);
  instead = undefined;
  await frozen(folder, { seeds: [40] });
  expect(linesOf(folder)).toHaveLength(8);
});
