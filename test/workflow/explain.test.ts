/** Explaining leaks of real episodes: one, a whole batch against the hidden truth, and from a history file with nothing else running. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchAccount } from '../../cli/explain/all.ts';
import { startBatch, startRollback } from '../../cli/runtime/client.ts';
import type { EpisodeInputGiven } from '../../contract/episode-input.ts';
import { askForRollback, commitToUndo } from '../../database/rollbacks.ts';
import { changeWorld } from '../../database/worlds.ts';
import type { Account } from '../../explain/account.ts';
import { planOf } from '../../scenarios/plan.ts';
import { readable } from '../replay/altering.ts';
import { holdpointWith, type Ran } from '../support/in-process.ts';
import { update, voiceOf } from '../support/people.ts';
import { episodeRow, held, startHeld, testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
let scratch: string;
beforeAll(async () => {
  engine = await testEngine();
  scratch = await mkdtemp(join(tmpdir(), 'holdpoint-explain-'));
});
afterAll(async () => {
  await engine.close();
  await rm(scratch, { recursive: true });
});

const env = (): Record<string, string> => ({ DATABASE_URL: engine.database.ownerUrl, TEMPORAL_ADDRESS: engine.settings.temporalAddress, TEMPORAL_NAMESPACE: engine.settings.temporalNamespace });
const nothing = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TEMPORAL_ADDRESS: '127.0.0.1:1' };
const explained = (...args: string[]): Promise<Ran> => holdpointWith(env(), 'explain', ...args);
const alone = (...args: string[]): Promise<Ran> => holdpointWith(nothing, 'explain', ...args);

/** Every table's number of rows: what an explanation must leave as it was. */
async function counts(): Promise<unknown> {
  const { rows: tables } = await engine.database.owner.query<{ name: string }>(`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1`);
  const { rows } = await engine.database.owner.query(tables.map(({ name }) => `select '${name}' as name, count(*)::int as n, md5(string_agg(t::text, '' order by t::text)) as of from ${name} t`).join(' union all '));
  return rows;
}

/** An episode whose policy is withdrawn for certain while a person thinks: the case's own race may be won by the commit. */
async function withdrawn(episodeId: string, input: EpisodeInputGiven): Promise<void> {
  const { handle, decision } = await startHeld(engine, episodeId, { caseId: 'record-invoice/0/clean', ...input });
  const [step] = planOf('record-invoice/0/concurrent-mutation').race;
  if (step === undefined) throw new Error('No race.');
  await changeWorld(engine.database.pool, (await episodeRow(engine, episodeId)).worldId, step);
  await update(engine, episodeId, decision);
  await handle.result();
}

async function historyFile(episodeId: string, alter: (text: string) => string = (text) => text): Promise<string> {
  const file = join(scratch, `${episodeId}.json`);
  await writeFile(file, alter(historyToJSON(await engine.client.workflow.getHandle(episodeId).fetchHistory())));
  return file;
}

/** The history with the text of its facts changed. */
function inFacts(value: unknown, change: (facts: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => inFacts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => {
    const text = key === 'data' && typeof inner === 'string' ? Buffer.from(inner, 'base64').toString('utf8') : '';
    return [key, text.includes('"facts":{') ? Buffer.from(change(text)).toString('base64') : inFacts(inner, change)];
  }));
}

async function factsEvent(file: string): Promise<string> {
  const { events } = JSON.parse(await readFile(file, 'utf8')) as { events: { eventId: string }[] };
  const holding = events.filter((event) => JSON.stringify(inFacts(event, () => 'here')) !== JSON.stringify(event));
  return holding[0]?.eventId ?? 'none';
}

describe('one episode', () => {
  test('a policy that was withdrawn before the commit: the moment, the clause that the contract lacks, what each guard would have said, and nothing written', async () => {
    await withdrawn('policy', { guard: { kind: 'predicate', without: ['policy'] }, batchId: 'one' });
    const before = await counts();
    const ran = await explained('policy', '--json');
    expect([ran.code, ran.said]).toEqual([0, '']);
    const { explanation, source, replay, contradictions, costs } = JSON.parse(ran.printed) as Account;
    expect({ source, contradictions, result: replay?.result, ended: replay?.ended }).toEqual({ source: 'database', contradictions: [], result: 'replays', ended: true });
    expect(explanation).toMatchObject({ episodeId: 'policy', guard: 'predicate-policy', verdict: 'leak', family: 'policy', clauses: { status: true, policy: false, integrity: true, notApplied: true }, doubts: [] });
    expect(Object.fromEntries(explanation.guards.map((guard) => [guard.guard, guard.lets]))).toEqual({
      none: true, epoch: false, version: false, predicate: false, 'predicate-notApplied': false, 'predicate-status': false, 'predicate-policy': true, 'predicate-integrity': false,
    });
    expect(explanation.remedy?.text).toMatch(/^Smallest change: put the policy clause back into the predicate\. version guard: yes, holdpoint\.policies\/record_invoice was read at version 1 and found at 2; epoch guard: yes, .*; predicate: only with the policy clause, which this contract lacks\.$/);
    expect(explanation.unseen).toEqual([expect.stringMatching(/policy-owner, the policy is withdrawn: holdpoint\.policies\/record_invoice version 2: .*allowed true -> false/)]);
    expect(explanation.timeline.map((entry) => [entry.event, entry.unseen])).toEqual(expect.arrayContaining([['world changed', true], ['proposed', false], ['decided', false], ['locked', false], ['committed', false]]));
    expect(costs).toMatchObject({ batchId: 'one', guards: expect.arrayContaining([{ guard: 'predicate', right: 0, rightBlocked: 0, leaks: 1, leaksStopped: 1 }]) as unknown });
    expect(await counts()).toEqual(before);
  });

  test('what the judge finds now, and the episode\'s own records do not: no commit is called right, and a batch says that its books do not add up', async () => {
    await engine.run('planted', { batchId: 'planted' });
    expect(JSON.parse((await explained('planted', '--json')).printed)).toMatchObject({ explanation: { verdict: 'safe' }, contradictions: [] });
    const owner = await engine.database.owner.connect();
    await owner.query('begin');
    await owner.query('set local session_replication_role = replica');
    await owner.query(`update holdpoint.ledger set approved_by = null, approved_at = null where op_key = 'planted:1'`);
    await owner.query('commit');
    owner.release();
    const ran = await explained('planted', '--json');
    const { explanation, contradictions } = JSON.parse(ran.printed) as Account;
    expect([ran.code, explanation.verdict, explanation.answer]).toEqual([1, 'unknown', expect.stringMatching(/^The books do not add up, so nothing is certain\. The judge finds now: planted:1 .*approval.* By the episode's own records: This commit was right/)]);
    expect(contradictions).not.toEqual([]);
    const all = await explained('--all', '--batch', 'planted', '--json');
    expect([all.code, JSON.parse(all.printed)]).toEqual([1, expect.objectContaining({ leaks: 0, unexplained: 1 })]);
  });

  test('in words and as a page, with what a stranger wrote made harmless', async () => {
    await withdrawn('strange', { guard: { kind: 'none' } });
    await engine.database.owner.query(`update holdpoint.episodes set model = $1 where episode_id = 'strange'`, ['\u001b[31m<script>alert(1)</script>']);
    const file = join(scratch, 'why.html');
    const { printed } = await explained('strange', '--html', file);
    expect(printed).toMatch(/This commit leaked: the policy did not allow the action .*policy-owner/);
    expect(printed).toMatch(/^! \d\d:\d\d:\d\d\.\d{3} +world changed +policy-owner: /m);
    expect(printed).not.toContain('\u001b');
    const page = await readFile(file, 'utf8');
    expect(page).toContain('<svg ');
    expect(page).not.toMatch(/<script|\u001b|https?:\/\/(?!www\.w3\.org)/);
    expect(page).toContain('&lt;script&gt;');
  });

  test('right work, right work that was blocked, a refusal, and one that waits', async () => {
    await engine.run('right', {});
    await engine.run('blocked-right', { caseId: 'change-delivery-address/1/stale-read', guard: { kind: 'version' }, replans: 0 });
    await engine.run('refused', { caseId: 'change-delivery-address/0/partial-success' });
    const { handle } = await startHeld(engine, 'waits');
    const told = [];
    for (const id of ['right', 'blocked-right', 'refused', 'waits']) told.push((JSON.parse((await explained(id, '--json')).printed) as Account).explanation);
    expect(told.map(({ verdict, remedy }) => [verdict, remedy])).toEqual([['safe', null], ['blocked', null], ['refused', null], ['open', null]]);
    await handle.terminate();
  });

  test('nobody of that name, no argument, and a batch with a page: one sentence', async () => {
    const [nobody, none, both] = [await explained('nobody'), await explained(), await explained('--all', '--batch', 'x', '--html', 'y')];
    expect([nobody.code, none.code, both.code]).toEqual([1, 2, 2]);
    for (const { said } of [nobody, none, both]) expect(said).toMatch(/^holdpoint: [^\n]*\n$/);
  });
});

describe('altered after the end', () => {
  test('a database that says other than the history: told with the number of the event, exit code 1', async () => {
    await withdrawn('altered', { guard: { kind: 'none' } });
    await engine.database.owner.query(`update holdpoint.approvals set proposer = 'agent:somebody-else' where op_key = 'altered:1'`);
    const { code, printed, said } = await explained('altered', '--json');
    const event = factsEvent(await historyFile('altered'));
    expect([code, said]).toEqual([1, `holdpoint: Event ${await event}: the history's facts have steps.0.proposer "agent:always-act", the database has "agent:somebody-else".\n`]);
    expect((JSON.parse(printed) as Account).contradictions).toHaveLength(1);
  });

  test('a world that went on after the end, by others and by a rollback, is no alteration', async () => {
    await withdrawn('went-on', { guard: { kind: 'none' } });
    const { worldId } = await episodeRow(engine, 'went-on');
    const commit = await commitToUndo(engine.database.pool, 'went-on:1');
    if (commit === undefined) throw new Error('Nothing was committed.');
    const { episodeId: rollbackId } = await askForRollback(engine.database.pool, commit, { proposer: 'person:maria.lindqvist', windowMs: 60_000 });
    await startRollback(engine.client, rollbackId, engine.start);
    await (await voiceOf(engine, 'supervisor')).say(rollbackId, await held(engine, rollbackId), { kind: 'approve' });
    expect(await engine.client.workflow.getHandle(rollbackId).result()).toMatchObject({ class: 'committed' });
    await changeWorld(engine.database.pool, worldId, { actor: 'warehouse', reason: 'next day', changes: [{ update: 'holdpoint.policies', keyColumn: 'tool', key: 'record_invoice', set: { allowed: true } }] });
    const { code, said, printed } = await explained('went-on', '--json');
    const { contradictions, replay, explanation } = JSON.parse(printed) as Account;
    expect([code, said, contradictions, replay?.result, explanation.verdict]).toEqual([0, '', [], 'replays', 'leak']);
    expect(explanation.timeline.filter((entry) => entry.event === 'world changed').map((entry) => entry.who)).toContain('warehouse');
  });

  test('facts of another episode, or of no known form, are no facts: one sentence with the number of the event', async () => {
    const swap = (from: string, to: string) => (text: string) => JSON.stringify(inFacts(JSON.parse(text) as unknown, (facts) => facts.replaceAll(from, to)));
    for (const alter of [swap('"episodeId":"altered","worldId"', '"episodeId":"another","worldId"'), swap('"guard":"none"', '"guard":"some"')]) {
      const file = await historyFile('altered', alter);
      const { code, said } = await alone(file);
      expect([code, said]).toEqual([1, expect.stringMatching(new RegExp(`at event ${await factsEvent(file)} .*the history was altered\\.\n$`)) as string]);
    }
  });

  test('a history that contradicts itself is explained as far as it goes, with every finding of the replay and exit code 1', async () => {
    const file = await historyFile('altered', (text) => JSON.stringify(inFacts(JSON.parse(text) as unknown, (facts) => facts.replace(/"digest":"./, '"digest":"x'))));
    const { code, printed, said } = await alone(file, '--json');
    const { replay, explanation } = JSON.parse(printed) as Account;
    expect([code, said, replay?.result, replay?.findings.length, explanation.verdict]).toEqual([1, expect.stringMatching(new RegExp(`^holdpoint: The history does not replay as it was recorded: event ${await factsEvent(file)}: [^\\n]*digest[^\\n]*\\n$`)) as string, 'differs', 1, 'leak']);
  });

  test("a judge's word that the commit's own evaluation does not bear out is a doubt", async () => {
    const file = await historyFile('altered', (text) => JSON.stringify(inFacts(JSON.parse(text) as unknown, (facts) => facts.replace('"failedClauses":["policy"]', '"failedClauses":["status"]'))));
    const { explanation } = JSON.parse((await alone(file, '--json')).printed) as Account;
    expect(explanation.doubts).toEqual(['The judge found broken by the row history: status; the commit found under its locks: policy.']);
  });
});

describe('from a history file alone', () => {
  test('the same explanation as with the database, to the letter, in any form of the file', async () => {
    const withAll = JSON.parse((await explained('policy', '--json')).printed) as Account;
    for (const alter of [undefined, (text: string) => JSON.stringify(readable(JSON.parse(text)))]) {
      const { code, printed } = await alone(await historyFile('policy', alter), '--json');
      const account = JSON.parse(printed) as Account;
      expect([code, account.source, account.explanation]).toEqual([0, 'history', withAll.explanation]);
    }
  });

  test('of an episode that left no facts it says what cannot be known; of one that runs still as well', async () => {
    await engine.run('never-judged', { score: false, guard: { kind: 'none' } });
    const { handle } = await startHeld(engine, 'runs-still');
    for (const [id, why] of [['never-judged', 'nobody judged the episode'], ['runs-still', 'the episode still runs']] as const) {
      const { code, printed } = await alone(await historyFile(id), '--json');
      const account = JSON.parse(printed) as Account;
      expect([code, account.source, account.replay?.result, account.replay?.ended]).toEqual([0, 'events', 'replays', id !== 'runs-still']);
      expect(account.cannotKnow[0]).toContain(why);
      expect(account.explanation).toMatchObject({ episodeId: id, verdict: id === 'runs-still' ? 'open' : 'unknown', guards: expect.arrayContaining([expect.objectContaining({ guard: 'epoch', lets: null })]) as unknown });
    }
    await handle.terminate();
  });

  test('a torn file is refused in one sentence', async () => {
    const file = await historyFile('never-judged', (text) => text.slice(0, 3_000));
    expect(await alone(file)).toMatchObject({ code: 1, printed: '', said: expect.stringMatching(/^holdpoint: .* is cut off[^\n]*\n$/) as string });
  });
});

test('a batch with incomplete predicates and no guards: every leak that the checker finds is explained as it truly is', async () => {
  const handle = await startBatch(engine.client, { batchId: 'graded', input: {
    templates: ['change-delivery-address', 'record-invoice'], instances: [0, 1], models: ['always-act'], conditions: ['stale-read', 'delayed-visibility', 'partial-success', 'concurrent-mutation'],
    guards: [{ kind: 'none' }, { kind: 'predicate', without: ['policy'] }, { kind: 'predicate', without: ['status', 'notApplied'] }], replans: 0,
  } }, engine.start);
  await handle.result();
  const { code, printed } = await explained('--all', '--batch', 'graded', '--json');
  const account = JSON.parse(printed) as BatchAccount;
  expect([code, account.episodes, account.unjudged, account.whyUnjudged]).toEqual([0, 48, 0, null]);
  // A race may be won by the commit, so the leaks of `concurrent-mutation` are counted by the judge alone.
  const { rows } = await engine.database.owner.query<{ n: number }>(`select count(*)::int as n from holdpoint.episodes where batch_id = 'graded' and (score ->> 'unsafe')::boolean`);
  expect(account.leaks).toBe(rows[0]?.n);
  expect(account.leaks).toBeGreaterThan(8);
  expect([account.explained, account.correct, account.ofScenario, account.wrong]).toEqual([account.leaks, account.leaks, account.leaks, []]);
  for (const cell of [...account.families, ...account.clauses]) expect(cell.told).toBe(cell.truth);
  expect(account.families.map((cell) => cell.truth)).toEqual(expect.arrayContaining(['duplicate', 'integrity', 'status']));
  const cost = (guard: string): BatchAccount['guards'][number] | undefined => account.guards.find((one) => one.guard === guard);
  expect(cost('none')).toMatchObject({ rightBlocked: 0, leaksStopped: 0 });
  expect(cost('predicate')).toMatchObject({ rightBlocked: 0, leaksStopped: account.leaks });
  expect(cost('version')?.rightBlocked).toBeGreaterThan(0);
  expect((await explained('--all', '--batch', 'graded')).printed).toMatch(/^true family \/ told +duplicate/m);
}, 120_000);
